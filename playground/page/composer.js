// Where a person writes something new.

import { act, GONE } from "./control.js";
import { h } from "./dom.js";
import { nameOf, state } from "./state.js";
import { grow, insert, marked, writing } from "./writing.js";

export function composer({ channel, threadTs, placeholder, posted, toast }) {
  const draft = [state.me, channel.id, threadTs].join("/");
  const box = h("textarea", { rows: 1, placeholder, "aria-label": placeholder, autocomplete: "off", value: state.drafts.get(draft) ?? "" });
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
      // The page is drawn again when the demo runs again.
      state.drafts.set(draft, text);
      grow(box);
      toast(error.message === "not_in_channel" ? "You are not in this channel." : error.message);
    }
  };
  const mention = h("button", { type: "button", class: "mention-bot", title: `Mention ${nameOf(state.bot)}`, onclick: () => insert(box, `@${nameOf(state.bot)} `) }, `@${nameOf(state.bot)}`);
  box.addEventListener("input", () => state.drafts.set(draft, box.value));
  return h("form", { class: "composer", onsubmit: send }, writing(box, send), box, h("div", { class: "composer-row" }, channel.kind !== "im" && mention, h("span", { class: "muted grow keys" }, "Enter to send", h("span", { class: "wide" }, " · Shift+Enter for a new line")), h("span", { class: "grow gone" }, `${GONE}. Your text stays here.`), h("button", { class: "button primary send", "aria-label": "Send" }, "Send")));
}

export function prefill(root, text) {
  const box = root.querySelector(".composer textarea");
  box.value = text;
  box.dispatchEvent(new Event("input"));
  box.focus();
}
