// Elements from data. Text is always set as text: nothing that a bot or a person wrote is ever parsed as HTML.

export function h(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "class") element.className = value;
    else if (name === "value") element.value = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

const HANDBOOK = "https://handbook.lumenpine.example/";

export function link(url, ...children) {
  // Other schemes (javascript:, data:, file:) stay text.
  if (!/^(https?:|mailto:)/i.test(url)) return h("span", {}, ...children);
  // The sample company's host does not exist; the playground shows its documents.
  return h("a", { href: url.startsWith(HANDBOOK) ? url.replace(HANDBOOK, "/handbook/") : url, target: "_blank", rel: "noopener noreferrer" }, ...children);
}

// Puts children in place of an element's own; what had the focus keeps it, if it is drawn again.
export function fill(element, ...children) {
  const focused = element.contains(document.activeElement) && document.activeElement;
  const place = focused && namesakes(element, focused).indexOf(focused);
  element.replaceChildren(...children.flat(Infinity).filter(Boolean));
  if (focused) namesakes(element, focused)[place]?.focus({ preventScroll: true });
}

function namesakes(element, one) {
  const name = (other) => `${other.tagName} ${other.getAttribute("aria-label") ?? other.textContent}`;
  return [...element.querySelectorAll(one.tagName)].filter((other) => name(other) === name(one));
}
