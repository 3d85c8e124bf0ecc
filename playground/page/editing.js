// Where a person changes what they wrote: Enter saves, Escape cancels; what is left as it was is no edit.

import { act } from "./control.js";
import { h } from "./dom.js";
import { state } from "./state.js";
import { asTyped, grow, marked, writing } from "./writing.js";

const KEYS = "Enter to save · Shift+Enter for a new line · Escape to cancel";
const EMPTY = "Write something, or delete the message instead.";

export function edit(article, one, channel, toast) {
  const before = asTyped(one.text);
  const box = h("textarea", { "aria-label": "Edit message", value: before, rows: 1 });
  const hint = h("span", { class: "muted grow", role: "status" }, KEYS);
  const close = () => { form.remove(); toast.refresh(); };
  const save = async (event) => {
    event.preventDefault();
    const text = box.value.trim();
    if (!text) return say(hint, EMPTY);
    if (text === before.trim()) return close();
    try {
      await act(state.me, "edit", { channel: channel.id, ts: one.ts, text: marked(text) });
      close();
    } catch (error) {
      toast(error.message);
    }
  };
  const form = h("form", { class: "edit", onsubmit: save, onkeydown: (event) => event.key === "Escape" && (event.stopPropagation(), close()) },
    writing(box, save), box, h("div", { class: "edit-row" }, hint, h("button", { type: "button", class: "button", onclick: close }, "Cancel"), h("button", { class: "button primary" }, "Save")));
  box.addEventListener("input", () => say(hint, KEYS));
  article.querySelector(".body").replaceChildren(form);
  grow(box);
  form.scrollIntoView({ block: "nearest" });
  box.focus();
}

function say(hint, text) {
  hint.textContent = text;
  hint.classList.toggle("missing", text === EMPTY);
}
