// What went over the wire: deliveries to the bot with their acknowledgements, and the bot's Web API calls.

import { fill, h } from "./dom.js";
import { state } from "./state.js";

const SHOWN = 120;

export function showWire(root) {
  root.hidden = !state.wire;
  if (!state.wire) return;
  const rows = [...[...state.deliveries.values()].map(delivery), ...state.calls.map(call)].sort((one, other) => other.at - one.at).slice(0, SHOWN);
  fill(root, h("h2", {}, "Over the wire ", h("span", { class: "muted" }, `${state.connections} ${state.connections === 1 ? "socket" : "sockets"} · newest first`)), h("ol", {}, rows.map((row) => row.element)));
}

function delivery(one) {
  const took = one.acknowledged_at ? `ack ${Math.max(0, Math.round((one.acknowledged_at - one.attempts.at(-1).at) * 1000))} ms` : one.state.replace("_", " ");
  const tries = one.attempts.length > 1 ? ` · ${one.attempts.length} attempts (${one.attempts.at(-1).reason})` : "";
  const event = one.payload.event ?? one.payload;
  const what = event.subtype ?? event.text ?? event.actions?.[0]?.text?.text ?? "";
  return row(one.at, "to", "→ bot", one.about, what, took + tries, one.state === "given_up" ? "bad" : one.state === "acknowledged" ? "good" : "", one);
}

function call(one) {
  const result = one.answer.ok ? "ok" : one.answer.error ?? String(one.status);
  const what = one.arguments.text ?? one.arguments.markdown_text ?? one.arguments.status ?? (one.arguments.chunks ?? []).map((chunk) => chunk.text ?? chunk.title ?? chunk.type).join(" · ");
  return row(one.at, "from", "← bot", one.method, what, result, one.answer.ok ? "good" : "bad", { arguments: one.arguments, answer: one.answer });
}

function row(at, direction, sign, name, what, result, mood, record) {
  const body = h("pre", {});
  const details = h("details", { class: `row ${direction}`, ontoggle: () => { body.textContent = details.open ? JSON.stringify(record, null, 2) : ""; } },
    h("summary", {}, h("time", {}, new Date(at * 1000).toLocaleTimeString()), h("span", { class: "direction" }, sign), h("code", {}, name), h("span", { class: "what" }, String(what).slice(0, 120)), h("span", { class: `result ${mood}` }, result)), body);
  return { at, element: h("li", {}, details) };
}
