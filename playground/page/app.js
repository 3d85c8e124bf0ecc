// The page: one state, drawn again where it changed.

import { blocks } from "./blocks.js";
import { composer, prefill } from "./composer.js";
import { act, GONE, listen, readState } from "./control.js";
import { fill, h } from "./dom.js";
import { addBot, avatar, message, status } from "./messages.js";
import { presser, showModal } from "./modal.js";
import { apply, channelName, inThread, isRoot, load, myChannels, nameOf, people, state, visibleMessages } from "./state.js";
import { showWire } from "./wire.js";

const at = (id) => document.getElementById(id);
const SIGNS = { public: "#", private: "🔒", im: "●", mpim: "◍" };
const NEAR_END_PIXELS = 120;
const MARGIN_PIXELS = 18;
let wireTimer = 0;
let toastTimer = 0;
let loading = Promise.resolve();
let waiting = [];
// Who asked goes on in the thread, which is drawn when the message arrives: in the channel nobody answers.
let askedIn = "";

function toast(text) {
  at("toast").textContent = text;
  clearTimeout(toastTimer);
  toastTimer = setTimeout(() => { at("toast").textContent = ""; }, 5000);
}
toast.refresh = () => { drawMessages(); };

function go(to) {
  Object.assign(state, to);
  state.unread.delete(state.channel);
  history.replaceState(null, "", `#${[state.me, state.channel, state.thread].filter(Boolean).join("/")}`);
  drawAll();
}

function placeFromAddress() {
  const [person, channel, thread] = location.hash.slice(1).split("/");
  state.me = state.members.get(person)?.is_bot === false ? person : state.me || people()[0].id;
  state.channel = state.channels.has(channel) ? channel : state.channel || myChannels()[0].id;
  state.thread = thread ?? "";
  followPermalink();
}

function followPermalink() {
  const [, channel, seconds, micros] = /^\/archives\/(\w+)\/p(\d+)(\d{6})$/.exec(location.pathname) ?? [];
  const message = state.channels.get(channel)?.messages.get(`${seconds}.${micros}`);
  if (!message || location.hash) return;
  Object.assign(state, { channel, thread: message.thread_ts ?? message.ts });
}

function drawAll() {
  document.title = `${channelName(here())} · ${state.team}`;
  drawTop();
  drawSidebar();
  drawChannel();
  drawThread();
  showModal(at("modal"), toast);
  showWire(at("wire"));
}

function here() {
  return state.channels.get(state.channel);
}

function drawTop() {
  const [sign, says] = state.isLost ? ["lost", GONE] : state.connections > 0 ? ["on", `${nameOf(state.bot)} is connected`] : ["off", `${nameOf(state.bot)} is not connected`];
  document.body.classList.toggle("lost", state.isLost);
  fill(at("top"),
    h("span", { class: "team" }, state.team),
    h("span", { class: `connection ${sign}`, role: "status" }, says),
    h("span", { class: "grow" }),
    h("fieldset", { class: "actors" }, h("legend", {}, "Act as"), people().map(actor)),
    h("button", { type: "button", class: "button wire-toggle", "aria-pressed": String(state.wire), onclick: toggleWire }, "Wire"));
}

function toggleWire() {
  state.wire = !state.wire;
  const show = (lists) => (lists.length === 0 ? showWire(at("wire")) : keepEnd(lists[0], false, () => show(lists.slice(1))));
  show([...document.querySelectorAll(".scroll")]);
  drawTop();
}

function actor(person) {
  const isMe = person.id === state.me;
  return h("button", { type: "button", class: isMe ? "actor me" : "actor", "aria-pressed": String(isMe), title: [person.real_name, person.title, person.is_admin && "administrator"].filter(Boolean).join(" · "), onclick: () => becomes(person) },
    avatar({ user: person.id }), person.real_name.split(" ")[0], person.is_admin && h("span", { class: "badge" }, "ADMIN"));
}

function becomes(person) {
  state.me = person.id;
  const channel = here();
  if (channel.kind !== "im") return go({ me: person.id });
  const own = myChannels().find((one) => one.kind === "im" && one.members.includes(state.bot));
  return go({ me: person.id, channel: own?.id ?? myChannels()[0].id, thread: "" });
}

function drawSidebar() {
  const entry = (channel) => h("li", {}, h("button", { type: "button", class: [channel.id === state.channel && "current", state.unread.has(channel.id) && "unread"].filter(Boolean).join(" "), "aria-current": channel.id === state.channel ? "page" : null, onclick: () => go({ channel: channel.id, thread: "", tab: "messages" }) },
    h("span", { class: "sign", "aria-hidden": "true" }, SIGNS[channel.kind]), channelName(channel), channel.kind === "im" && h("span", { class: "badge" }, "APP")));
  const section = (title, ...kinds) => {
    const channels = myChannels().filter((channel) => kinds.includes(channel.kind));
    return channels.length > 0 && [h("h2", {}, title), h("ul", {}, channels.map(entry))];
  };
  fill(at("sidebar"), section("Channels", "public", "private"), section("Group messages", "mpim"), section("Apps", "im"),
    h("p", { class: "sidebar-note" }, "A local Slack. Nothing here leaves this machine."));
}

function drawChannel() {
  const channel = here();
  const isDirect = channel.kind === "im";
  const isMember = channel.members.includes(state.me);
  const hasBot = channel.members.includes(state.bot);
  fill(at("channel"),
    h("header", { class: "channel-head" },
      h("h1", {}, isDirect ? channelName(channel) : `# ${channelName(channel)}`),
      isDirect ? tabs() : h("span", { class: "muted", title: channel.topic }, channel.topic),
      h("span", { class: "grow" }),
      !isDirect && h("span", { class: "muted whole" }, `${channel.members.length} members`),
      !hasBot && isMember && h("button", { type: "button", class: "button", onclick: () => addBot(channel, toast) }, `Add ${nameOf(state.bot)}`)),
    h("div", { class: "scroll", role: "log", "aria-label": "Messages", tabindex: "0" }),
    state.tab === "messages" && composer({ channel, placeholder: `Message ${isDirect ? "" : "#"}${channelName(channel)}`, toast, posted: (ts, text) => (isUnheard(channel, ts) ? drawMessages() : askedBot(channel, text) && go({ thread: askedIn = ts })) }));
  drawMessages({ toEnd: true });
}

function tabs() {
  const tab = (id, label) => h("button", { type: "button", role: "tab", "aria-selected": String(state.tab === id), onclick: () => { act(state.me, "open_home", { tab: id }).catch((error) => toast(error.message)); go({ tab: id, thread: "" }); } }, label);
  return h("div", { class: "tabs", role: "tablist" }, tab("messages", "Messages"), tab("home", "Home"));
}

function askedBot(channel, text) {
  return channel.kind === "im" || text.toLowerCase().includes(`@${nameOf(state.bot).toLowerCase()}`);
}

// Also keeps in mind which message needs a note about it.
function isUnheard(channel, ts) {
  if (channel.kind === "im" || channel.members.includes(state.bot)) return false;
  state.unheard = ts;
  return true;
}

function drawThread() {
  const channel = here();
  const root = channel.messages.get(state.thread);
  at("thread").hidden = !root;
  document.body.classList.toggle("with-thread", Boolean(root));
  if (!root) return fill(at("thread"));
  fill(at("thread"),
    h("header", { class: "channel-head" }, h("h2", {}, "Thread"), h("span", { class: "muted" }, channel.kind === "im" ? channelName(channel) : `# ${channelName(channel)}`), h("span", { class: "grow" }), h("button", { type: "button", class: "close", "aria-label": "Close thread", onclick: () => go({ thread: "" }) }, "✕")),
    h("div", { class: "scroll", role: "log", "aria-label": "Thread", "aria-live": "polite", tabindex: "0" }),
    h("div", { class: "stopping", hidden: true }, h("button", { type: "button", class: "button", onclick: () => act(state.me, "stop", { channel: channel.id, thread_ts: state.thread }).catch((error) => toast(error.message)) }, "■ Stop")),
    composer({ channel, threadTs: state.thread, placeholder: "Reply…", toast, posted: (ts) => isUnheard(channel, ts) && drawMessages() }));
  drawMessages({ toEnd: true });
  if (askedIn === state.thread) at("thread").querySelector("textarea").focus();
  askedIn = "";
  return undefined;
}

// Who writes sees that, also from the middle of what was written before.
function drawMessages({ toEnd = false, written } = {}) {
  const channel = here();
  const list = at("channel").querySelector(".scroll");
  const options = { openThread: (ts) => go({ thread: ts }), toast };
  const all = visibleMessages(channel);
  if (state.tab === "home") fill(list, home());
  else {
    const shown = all.filter((one) => isRoot(one) || one.subtype === "thread_broadcast");
    keepEnd(list, toEnd || (written && isRoot(written)), () => fill(list, shown.length === 0 ? empty(channel) : null, shown.map((one) => beingEdited(one, list) ?? message(one, channel, options))));
  }
  const pane = at("thread").querySelector(".scroll");
  if (!pane) return;
  const replies = all.filter((one) => inThread(one, state.thread));
  keepEnd(pane, toEnd || (written && inThread(written, state.thread)), () => fill(pane, replies.map((one, index) => [beingEdited(one, pane) ?? message(one, channel, { ...options, inPane: true }), index === 0 && h("div", { class: "count muted" }, counted(replies))]), status(channel, state.thread)));
  showStop();
}

function beingEdited(one, list) {
  return list.querySelector(`article[data-ts="${one.ts}"]:has(.edit)`);
}

// Not in the message, which is drawn again with every word: nobody could press it there.
function showStop() {
  const row = at("thread").querySelector(".stopping");
  if (row) row.hidden = ![...here().messages.values()].some((one) => inThread(one, state.thread) && one.streaming_state === "in_progress");
}

function counted(messages) {
  const count = messages.filter((one) => !one.visible_to).length - 1;
  return count === 0 ? "No replies yet" : count === 1 ? "1 reply" : `${count} replies`;
}

// Draws one message again where it stands, so that a stream does not draw the whole list.
function drawMessage(one, channel) {
  const rows = [...document.querySelectorAll(`article[data-ts="${one.ts}"]`)].filter((row) => !row.querySelector(".edit"));
  if (rows.length === 0) return drawMessages();
  for (const row of rows) {
    const list = row.closest(".scroll");
    const fresh = message(one, channel, { openThread: (ts) => go({ thread: ts }), toast, inPane: Boolean(row.closest("#thread")) });
    keepEnd(list, false, () => row.replaceWith(fresh));
  }
  showStop();
  return undefined;
}

// Follows what is written, but keeps the beginning of the last message in view: there people begin to read.
function keepEnd(list, toEnd, draw) {
  const before = list.scrollTop;
  const wasAtEnd = toEnd || list.scrollHeight - before - list.clientHeight < NEAR_END_PIXELS;
  draw();
  if (!wasAtEnd) return;
  const last = [...list.querySelectorAll("article")].at(-1);
  const beginning = last ? last.getBoundingClientRect().top - list.getBoundingClientRect().top + list.scrollTop - MARGIN_PIXELS : 0;
  // Never back: people may have scrolled to the sources.
  list.scrollTop = Math.max(before, Math.min(beginning, list.scrollHeight - list.clientHeight));
}

function empty(channel) {
  const isDirect = channel.kind === "im";
  const bot = nameOf(state.bot);
  const prompts = isDirect ? state.examples.map((text) => text.replace(new RegExp(`^@${bot}\\s+`, "i"), "")) : state.examples;
  if (!channel.members.includes(state.bot)) return h("div", { class: "empty" }, h("h2", {}, `This is #${channel.name}`), h("p", { class: "muted" }, `${bot} is not in this channel.`));
  return h("div", { class: "empty" }, h("span", { class: "avatar bot", "aria-hidden": "true" }, "?"), h("h2", {}, isDirect ? `Ask ${bot} something` : `This is #${channel.name}`),
    h("p", { class: "muted" }, isDirect ? "It answers in a thread, from the team's documents." : `${channel.topic}. Mention @${bot} to ask it; it answers in a thread.`),
    h("div", { class: "examples" }, prompts.map((text) => h("button", { type: "button", class: "example", onclick: () => prefill(at("channel"), text) }, text))));
}

function home() {
  const view = state.homes.get(state.me);
  return h("div", { class: "home blocks" }, view ? blocks(view.blocks, presser(view, toast)) : h("p", { class: "muted" }, `${nameOf(state.bot)} shows nothing on this tab. Ask it under Messages.`));
}

function take(change) {
  if (waiting) return waiting.push(change);
  const touched = apply(change);
  if (touched?.message) return takeMessage(touched);
  switch (touched) {
    case "everything": return start();
    case "top": drawTop(); break;
    case "view": showModal(at("modal"), toast); break;
    case "messages": case "status": case "pressed": drawMessages(); break;
    default: break;
  }
  return drawWireSoon();
}

function takeMessage({ message: one, channel, isNew }) {
  if (channel.id !== state.channel) return drawSidebar();
  // The answer to posting may come before the news of the post.
  if (one.ts === state.thread && at("thread").hidden) drawThread();
  return isNew ? drawMessages({ written: one.user === state.me && one }) : drawMessage(one, channel);
}

function drawWireSoon() {
  if (!state.wire || wireTimer) return;
  wireTimer = setTimeout(() => {
    wireTimer = 0;
    if (!at("wire").querySelector("details[open]")) showWire(at("wire"));
  }, 200);
}

function start() {
  loading = loading.then(reload, reload);
  return loading;
}

async function reload() {
  waiting = [];
  load(await readState());
  state.isLost = false;
  placeFromAddress();
  // What changed while the state was on its way may be in it already; taking it in twice does no harm.
  waiting.forEach(apply);
  waiting = null;
  drawAll();
}

window.addEventListener("hashchange", () => { placeFromAddress(); drawAll(); });
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && state.thread && !document.querySelector("dialog[open], [role=menu]")) go({ thread: "" });
});
listen({ onopen: start, onchange: take, onlost: () => { state.isLost = true; drawTop(); } });
