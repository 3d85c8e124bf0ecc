// Where a person writes something new.

import { attachment } from "./attaching.js";
import { act, GONE } from "./control.js";
import { h } from "./dom.js";
import { nameOf, state } from "./state.js";
import { grow, insert, marked, writing } from "./writing.js";

export function composer({ channel, threadTs, placeholder, posted, toast }) {
  const draft = [state.me, channel.id, threadTs].join("/");
  const box = h("textarea", { rows: 1, placeholder, "aria-label": placeholder, autocomplete: "off", value: state.drafts.get(draft) ?? "" });
  const file = attachment(toast);
  const send = async (event) => {
    event?.preventDefault();
    const [text, sent] = [box.value.trim(), file.get()];
    if (!text && !sent) return;
    box.value = "";
    file.show(null);
    state.drafts.delete(draft);
    grow(box);
    try {
      const said = { channel: channel.id, text: marked(text), thread_ts: threadTs ?? null };
      posted(await (sent ? act(state.me, "share", { ...said, name: sent.name, content: sent.content }) : act(state.me, "post", said)), text);
    } catch (error) {
      box.value = text;
      file.show(sent);
      // The page is drawn again when the demo runs again.
      state.drafts.set(draft, text);
      grow(box);
      toast(error.message === "not_in_channel" ? "You are not in this channel." : error.message);
    }
  };
  const mention = h("button", { type: "button", class: "mention-bot", title: `Mention ${nameOf(state.bot)}`, onclick: () => insert(box, `@${nameOf(state.bot)} `) }, `@${nameOf(state.bot)}`);
  box.addEventListener("input", () => state.drafts.set(draft, box.value));
  return h("form", { class: "composer", onsubmit: send }, writing(box, send), box, file.parts, h("div", { class: "composer-row" }, file.button, channel.kind !== "im" && mention, h("span", { class: "muted grow keys" }, "Enter to send", h("span", { class: "wide" }, " · Shift+Enter for a new line")), h("span", { class: "grow gone" }, `${GONE}. Your text stays here.`), h("button", { class: "button primary send", "aria-label": "Send" }, "Send")));
}

export function prefill(root, text) {
  const box = root.querySelector(".composer textarea");
  box.value = text;
  box.dispatchEvent(new Event("input"));
  box.focus();
}
