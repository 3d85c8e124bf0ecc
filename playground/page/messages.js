// Messages as a Slack user knows them: who, when, what; threads, reactions, buttons.

import { sizeOf } from "./attaching.js";
import { blocks } from "./blocks.js";
import { act } from "./control.js";
import { h } from "./dom.js";
import { edit } from "./editing.js";
import { drawn } from "./icons.js";
import { menuButton } from "./menu.js";
import { inThread, nameOf, state } from "./state.js";
import { emoji, mrkdwn } from "./text.js";

const QUICK_REACTIONS = ["+1", "eyes", "tada"];
const TINTS = 6;

export function message(one, channel, { inPane = false, openThread, toast }) {
  const own = one.user === state.me;
  const isBot = Boolean(one.bot_id);
  return h("article", { class: `message${one.visible_to ? " private" : ""}`, "data-ts": one.ts, "aria-label": `${nameOf(one.user)}, ${clock(one.ts)}` },
    avatar(one),
    h("div", { class: "body" },
      one.visible_to && h("div", { class: "muted note" }, drawn("👁 Only visible to you")),
      h("div", { class: "by" }, h("strong", {}, nameOf(one.user)), isBot && h("span", { class: "badge" }, "APP"), h("time", { title: when(one.ts) }, clock(one.ts))),
      withCaret(one, content(one, channel, toast)),
      one.files?.map((file) => h("div", { class: "file" }, drawn("📄"), h("strong", {}, file.name), h("span", { class: "muted" }, sizeOf(file.size)))),
      one.edited && !isBot && one.subtype !== "tombstone" && h("span", { class: "muted note" }, "(edited)"),
      reactions(one, channel, toast),
      one.ts === state.unheard && own && unheard(channel, toast),
      !inPane && summary(one, channel, openThread)),
    !one.visible_to && one.subtype !== "tombstone" && tools(one, channel, { own, inPane, openThread, toast }));
}

export function avatar(one) {
  if (one.user === state.bot) return h("span", { class: "avatar bot", "aria-hidden": "true" }, "?");
  return h("span", { class: `avatar tint${tint(one.user)}`, "aria-hidden": "true" }, initials(nameOf(one.user)));
}

export function initials(name) {
  return name.split(" ").map((part) => part[0]).join("").slice(0, 2);
}

export function tint(member) {
  return [...state.members.keys()].indexOf(member) % TINTS;
}

export function clock(ts) {
  return new Date(Number(ts) * 1000).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
}

export function status(channel, threadTs) {
  const found = state.statuses.get(`${channel.id} ${threadTs}`);
  return found && h("div", { class: "status", role: "status" }, h("span", { class: "dots", "aria-hidden": "true" }, h("i"), h("i"), h("i")), `${nameOf(state.bot)} ${found.status}`);
}

function content(one, channel, toast) {
  const shown = (one.blocks ?? []).filter((block) => block.block_id !== "typed");
  if (one.subtype === "tombstone" || shown.length === 0) return h("div", { class: one.subtype ? "muted" : "" }, mrkdwn(one.text));
  return h("div", { class: "blocks" }, blocks(shown, presser(one, channel, toast)));
}

function withCaret(one, shown) {
  if (one.streaming_state === "in_progress") {
    const last = [...shown.querySelectorAll(".text > p:last-child, .text li:last-child")].at(-1) ?? shown;
    last.append(h("span", { class: "caret", role: "img", "aria-label": "still writing" }));
  }
  return shown;
}

function presser(one, channel, toast) {
  const press = async (block, named, confirm) => {
    const key = keyOf(one, block, named);
    if (confirm && !window.confirm(`${confirm.title?.text ?? ""}\n\n${confirm.text?.text ?? ""}`)) return;
    if ([...state.pressed.values()].includes(key)) return;
    state.failed.delete(key);
    try {
      const delivery = await act(state.me, "click", { channel: channel.id, ts: one.ts, ...named });
      // News of the acknowledgement may have come before the answer to the click.
      const now = state.deliveries.get(delivery.id) ?? delivery;
      if (now.state === "waiting" || now.state === "sent") state.pressed.set(delivery.id, key);
      toast.refresh();
    } catch (error) {
      toast(error.message);
    }
  };
  press.mark = (block, named) => {
    const key = keyOf(one, block, named);
    return [...state.pressed.values()].includes(key) ? "busy" : state.failed.has(key) ? "failed" : "";
  };
  return press;
}

function keyOf(one, block, named) {
  return [one.ts, block.block_id, named.action_id, named.label, named.value].join("|");
}

function reactions(one, channel, toast) {
  if (!one.reactions?.length) return null;
  return h("div", { class: "reactions" }, one.reactions.map(({ name, users, count }) => {
    const mine = users.includes(state.me);
    return h("button", { type: "button", class: mine ? "reaction mine" : "reaction", title: users.map(nameOf).join(", "), "aria-pressed": String(mine),
      onclick: () => attempt(toast, mine ? "unreact" : "react", { channel: channel.id, ts: one.ts, name }) }, emoji(name), ` ${count}`);
  }));
}

function summary(one, channel, openThread) {
  const isWorking = status(channel, one.ts);
  if (!one.reply_count) return isWorking;
  const people = one.reply_users.slice(0, 4).map((user) => h("span", { class: "small" }, avatar({ user })));
  const replies = one.reply_count === 1 ? "1 reply" : `${one.reply_count} replies`;
  const privately = [...channel.messages.values()].some((other) => other.visible_to === state.me && inThread(other, one.ts));
  return [
    h("button", { type: "button", class: "replies", onclick: () => openThread(one.ts) }, people, h("strong", {}, replies), h("span", { class: "muted" }, `Last reply ${clock(one.latest_reply)}`), privately && h("span", { class: "muted" }, drawn("· 👁"))),
    isWorking,
  ];
}

function tools(one, channel, { own, inPane, openThread, toast }) {
  const place = { channel: channel.id, ts: one.ts };
  return h("div", { class: "tools", role: "toolbar", "aria-label": "Message actions" },
    QUICK_REACTIONS.map((name) => tool(name, `React with ${name}`, () => attempt(toast, "react", { ...place, name }))),
    !inPane && tool("💬", "Reply in thread", () => openThread(one.thread_ts ?? one.ts)),
    (own || state.shortcuts.length > 0) && menuButton(drawn("⋮"), "More actions", () => [
      ...state.shortcuts.map(({ name, callback_id }) => [name, () => attempt(toast, "choose", { ...place, callback_id })]),
      ...(own ? [["Edit message", () => edit(rowOf(one, inPane), one, channel, toast)], ["Delete message", () => attempt(toast, "delete", place)]] : []),
    ]));
}

function rowOf(one, inPane) {
  return document.querySelector(`${inPane ? "#thread" : "#channel"} article[data-ts="${one.ts}"]`);
}

function tool(sign, label, onclick) {
  return h("button", { type: "button", title: label, "aria-label": label, onclick }, QUICK_REACTIONS.includes(sign) ? emoji(sign) : drawn(sign));
}

// What Slack says only to the writer, and only after a mention. Here nobody would know otherwise why no answer comes.
function unheard(channel, toast) {
  const [bot, place] = [nameOf(state.bot), `#${channel.name}`];
  if (channel.members.includes(state.bot)) return null;
  const add = async () => (await addBot(channel, toast)) && toast(`${bot} is in ${place} now. Write your question again.`);
  return h("div", { class: "muted note", role: "status" }, `${bot} is not in ${place} and does not see this. `, h("button", { type: "button", class: "word", onclick: add }, "Add it"));
}

export function addBot(channel, toast) {
  return attempt(toast, "invite", { channel: channel.id, member: state.bot });
}

// Tells whether it was done.
async function attempt(toast, name, args) {
  try {
    await act(state.me, name, args);
    return true;
  } catch (error) {
    toast(error.message);
    return false;
  }
}

function when(ts) {
  return `${new Date(Number(ts) * 1000).toLocaleString()} · ${ts}`;
}
