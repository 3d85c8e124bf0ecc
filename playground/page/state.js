// What the page knows: the playground's state, and where this person looks.

const KEPT_RECORDS = 300;
// A window does not show modals that were open before it was loaded: they would cover what a person came to do.
let openedBefore;

export const state = {
  team: "", bot: "", members: new Map(), channels: new Map(), statuses: new Map(), views: new Map(), homes: new Map(),
  examples: [], shortcuts: [], isLost: false, connections: 0, calls: [], deliveries: new Map(), unread: new Set(),
  me: "", channel: "", thread: "", tab: "messages", wire: false, unheard: "", pressed: new Map(), failed: new Set(), drafts: new Map(),
};

export function load(fresh) {
  const { workspace } = fresh;
  openedBefore ??= new Set(fresh.views.map((view) => view.id));
  Object.assign(state, {
    team: workspace.team_name, bot: workspace.bot_user_id, examples: workspace.examples, shortcuts: workspace.shortcuts,
    connections: fresh.connections, calls: fresh.calls,
    members: byId(workspace.members), views: byId(fresh.views.filter((view) => !openedBefore.has(view.id))), deliveries: byId(fresh.deliveries),
    homes: new Map(Object.entries(fresh.homes)),
    statuses: new Map(fresh.statuses.map((status) => [`${status.channel} ${status.thread_ts}`, status])),
    channels: byId(workspace.channels.map((channel) => ({
      ...channel,
      messages: new Map([...channel.messages, ...channel.ephemerals].map((message) => [message.ts, message])),
    }))),
  });
}

// Takes in one change; says what it touches.
export function apply(change) {
  const channel = state.channels.get(change.channel);
  switch (change.type) {
    case "message": return takeMessage(channel, change.message);
    case "removed": { channel?.messages.delete(change.ts); return "messages"; }
    case "status": return takeStatus(change);
    case "view": { if (!openedBefore.has(change.view.id)) state.views.set(change.view.id, change.view); return "view"; }
    case "view_closed": { state.views.delete(change.view_id); return "view"; }
    case "home": { state.homes.set(change.person, change.view); return "messages"; }
    case "connections": { state.connections = change.count; return "top"; }
    case "call": { state.calls = [...state.calls, change.call].slice(-KEPT_RECORDS); return "wire"; }
    case "delivery": return takeDelivery(change.delivery);
    case "channels": return "everything";
    default: return "nothing";
  }
}

export function people() {
  return [...state.members.values()].filter((member) => !member.is_bot);
}

export function nameOf(member) {
  const known = state.members.get(member);
  return known ? known.real_name : member === "USLACKBOT" ? "Slackbot" : member ?? "somebody";
}

export function channelName(channel) {
  if (channel.kind === "mpim") return channel.members.filter((member) => member !== state.me).map((member) => nameOf(member).split(" ")[0]).join(", ");
  if (channel.kind !== "im") return channel.name;
  return nameOf(channel.members.find((member) => member !== state.me) ?? channel.members[0]);
}

export function myChannels() {
  return [...state.channels.values()].filter((channel) => channel.kind === "public" || channel.members.includes(state.me));
}

export function visibleMessages(channel) {
  return [...channel.messages.values()]
    .filter((message) => !message.visible_to || message.visible_to === state.me)
    .sort((one, other) => (one.ts < other.ts ? -1 : 1));
}

export function inThread(message, root) {
  return message.ts === root || message.thread_ts === root;
}

export function isRoot(message) {
  return !message.thread_ts || message.thread_ts === message.ts;
}

function takeMessage(channel, message) {
  const isNew = !channel.messages.has(message.ts);
  channel.messages.set(message.ts, message);
  if (isNew && channel.id !== state.channel && message.user !== state.me) state.unread.add(channel.id);
  return { message, channel, isNew };
}

function takeStatus(change) {
  const key = `${change.channel} ${change.thread_ts}`;
  if (change.status) state.statuses.set(key, change);
  else state.statuses.delete(key);
  return "status";
}

function takeDelivery(delivery) {
  state.deliveries.set(delivery.id, delivery);
  if (state.deliveries.size > KEPT_RECORDS) state.deliveries.delete(state.deliveries.keys().next().value);
  const pressed = state.pressed.get(delivery.id);
  if (!pressed || !["acknowledged", "given_up"].includes(delivery.state)) return "wire";
  state.pressed.delete(delivery.id);
  if (delivery.state === "given_up") state.failed.add(pressed);
  return "pressed";
}

function byId(items) {
  return new Map(items.map((item) => [item.id, item]));
}
