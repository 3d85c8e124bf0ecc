// Where a person writes: Enter sends, Shift+Enter starts a line, @ names somebody.

import { act } from "./control.js";
import { h } from "./dom.js";
import { nameOf, state } from "./state.js";

export function composer({ channel, threadTs, placeholder, posted, toast }) {
  const draft = [state.me, channel.id, threadTs].join("/");
  const box = h("textarea", { rows: 1, placeholder, "aria-label": placeholder, autocomplete: "off", value: state.drafts.get(draft) ?? "" });
  const choices = h("ul", { class: "completion", role: "listbox", "aria-label": "People", hidden: true });
  const send = async (event) => {
    event?.preventDefault();
    const text = box.value.trim();
    if (!text) return;
    box.value = "";
    state.drafts.delete(draft);
    grow(box);
    try {
      posted(await act(state.me, "post", { channel: channel.id, text: marked(text), thread_ts: threadTs ?? null }), text);
    } catch (error) {
      box.value = text;
      toast(error.message === "not_in_channel" ? "You are not in this channel." : error.message);
    }
  };
  const mention = h("button", { type: "button", class: "mention-bot", title: `Mention ${nameOf(state.bot)}`, onclick: () => insert(box, `@${nameOf(state.bot)} `) }, `@${nameOf(state.bot)}`);
  box.addEventListener("keydown", (event) => {
    if (completing(event, choices)) return;
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) send(event);
  });
  box.addEventListener("input", () => {
    grow(box);
    state.drafts.set(draft, box.value);
    complete(box, choices);
  });
  return h("form", { class: "composer", onsubmit: send }, choices, box, h("div", { class: "composer-row" }, channel.kind !== "im" && mention, h("span", { class: "muted grow" }, "Enter to send · Shift+Enter for a new line"), h("button", { class: "button primary send", "aria-label": "Send" }, "Send")));
}

export function prefill(root, text) {
  const box = root.querySelector(".composer textarea");
  box.value = text;
  grow(box);
  box.focus();
}

// What Slack's own composer makes of a text: entities escaped, names turned into ids.
function marked(text) {
  const escaped = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  return [...state.members.values()].reduce((so_far, member) => {
    const names = [member.real_name, member.real_name.split(" ")[0], member.name].map((name) => name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
    return so_far.replace(new RegExp(`@(${names.join("|")})(?![\\w-])`, "gi"), `<@${member.id}>`);
  }, escaped);
}

function insert(box, text) {
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

function grow(box) {
  box.rows = Math.min(8, box.value.split("\n").length);
}
