// How a person writes in a box: Enter is done, Shift+Enter starts a line, @ names somebody.

import { h } from "./dom.js";
import { nameOf, state } from "./state.js";
import { unescaped } from "./text.js";

// Gives a box its keys; returns the list of people that opens above it.
export function writing(box, done) {
  const choices = h("ul", { class: "completion", role: "listbox", "aria-label": "People", hidden: true });
  box.addEventListener("keydown", (event) => {
    if (completing(event, choices)) return;
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) done(event);
  });
  box.addEventListener("input", () => {
    grow(box);
    complete(box, choices);
  });
  return choices;
}

// What Slack's own composer makes of a text: entities escaped, names turned into ids.
export function marked(text) {
  const escaped = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  const ids = names();
  const longestFirst = [...ids.keys()].sort((one, other) => other.length - one.length);
  const pattern = longestFirst.map((name) => name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|");
  return escaped.replace(new RegExp(`@(${pattern})(?![\\w-])`, "gi"), (_, name) => `<@${ids.get(name.toLowerCase())}>`);
}

// The same text as it was typed, for its author to change.
export function asTyped(source) {
  return unescaped(source.replace(/<@(\w+)(?:\|[^>]*)?>/g, (_, member) => `@${nameOf(member)}`));
}

// All that members are called. A whole name goes before a first name, which is the first one's who has it.
function names() {
  const kinds = [(member) => member.real_name, (member) => member.name, (member) => member.real_name.split(" ")[0]];
  const called = kinds.flatMap((kind) => [...state.members.values()].map((member) => [kind(member).toLowerCase(), member.id]));
  return new Map(called.reverse());
}

export function insert(box, text) {
  box.setRangeText(text, box.selectionStart, box.selectionEnd, "end");
  box.focus();
  box.dispatchEvent(new Event("input"));
}

function complete(box, choices) {
  const typed = /(?:^|\s)@(\w*)$/.exec(box.value.slice(0, box.selectionStart));
  const fits = typed ? [...state.members.values()].filter((member) => member.id !== state.me && member.real_name.toLowerCase().includes(typed[1].toLowerCase())) : [];
  const first = (one, other) => Number(other.is_bot) - Number(one.is_bot);
  choices.hidden = fits.length === 0;
  choices.replaceChildren(...fits.sort(first).slice(0, 6).map((member, index) => h("li", {
    role: "option", "aria-selected": String(index === 0),
    onmousedown: (event) => {
      event.preventDefault();
      box.setRangeText(`@${member.real_name} `, box.selectionStart - typed[1].length - 1, box.selectionStart, "end");
      choices.hidden = true;
    },
  }, member.real_name, member.is_bot && h("span", { class: "badge" }, "APP"))));
}

function completing(event, choices) {
  if (choices.hidden || !["ArrowDown", "ArrowUp", "Enter", "Tab", "Escape"].includes(event.key)) return false;
  event.preventDefault();
  event.stopPropagation();
  const all = [...choices.children];
  const at = all.findIndex((choice) => choice.getAttribute("aria-selected") === "true");
  if (event.key === "Escape") choices.hidden = true;
  else if (event.key === "Enter" || event.key === "Tab") all[at].dispatchEvent(new MouseEvent("mousedown", { bubbles: true, cancelable: true }));
  else {
    all[at].setAttribute("aria-selected", "false");
    all[(at + (event.key === "ArrowDown" ? 1 : all.length - 1)) % all.length].setAttribute("aria-selected", "true");
  }
  return true;
}

export function grow(box) {
  box.rows = Math.min(8, box.value.split("\n").length);
}
