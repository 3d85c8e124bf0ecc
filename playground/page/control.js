// Talking to the playground's control API.

export const GONE = "The demo is not running";

export async function readState() {
  const response = await fetch("/control/state");
  if (!response.ok) throw new Error(await response.text());
  return response.json();
}

export async function act(person, name, args) {
  const response = await fetch(`/control/people/${person}/${name}`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(args),
  }).catch(() => { throw new Error(`${GONE}.`); });
  const answer = await response.json();
  if (!answer.ok) throw new Error(answer.error);
  return answer.result;
}

export function listen({ onopen, onchange, onlost }) {
  const source = new EventSource("/control/changes");
  source.onopen = onopen;
  source.onerror = onlost;
  source.onmessage = (event) => onchange(JSON.parse(event.data));
}
