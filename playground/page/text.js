// Slack's mrkdwn and Markdown, as elements.

import { h, link } from "./dom.js";
import { drawn } from "./icons.js";
import { nameOf, state } from "./state.js";

const EMOJI = {
  "+1": "👍", "-1": "👎", thumbsup: "👍", thumbsdown: "👎", eyes: "👀", tada: "🎉", wave: "👋", warning: "⚠️", mag: "🔍",
  heart: "❤️", white_check_mark: "✅", x: "❌", bulb: "💡", pray: "🙏", books: "📚", raised_hands: "🙌", question: "❓",
  speech_balloon: "💬", robot_face: "🤖", hourglass_flowing_sand: "⏳", page_facing_up: "📄", link: "🔗", pencil2: "✏️",
};

const ANGLE = /<([@#!]?)([^<>|]+)(?:\|([^<>]*))?>/;
const MRKDWN = new RegExp(
  "```([^]*?)```|`([^`\\n]+)`|" + ANGLE.source +
  "|(?<![\\w*])\\*([^*\\n]+)\\*(?![\\w*])|(?<![\\w_])_([^_\\n]+)_(?![\\w_])|(?<![\\w~])~([^~\\n]+)~(?![\\w~])|:([a-z0-9_+-]+):",
);
const MARKDOWN = new RegExp(
  "`([^`\\n]+)`|" + ANGLE.source +
  "|\\*\\*([^]+?)\\*\\*|__([^_]+)__|(?<![\\w*])\\*([^*\\n]+)\\*(?![\\w*])|(?<![\\w_])_([^_\\n]+)_(?![\\w_])|~~([^~]+)~~" +
  "|!?\\[([^\\]]*)\\]\\(((?:[^()\\s]|\\([^()\\s]*\\))+)(?:\\s+\"[^\"]*\")?\\)|\\\\([\\\\`*_{}\\[\\]()#+.!~>|-])|(https?://[^\\s<>\"')\\]]+)",
);

export function emoji(name) {
  return drawn(EMOJI[name] ?? `:${name}:`);
}

export function plain(object) {
  if (!object) return "";
  return object.type === "mrkdwn" ? mrkdwn(object.text) : h("span", {}, withEmoji(object.text ?? ""));
}

export function mrkdwn(source) {
  const lines = (source ?? "").split(/(```[^]*?```)/);
  return h("div", { class: "text" }, lines.map((part) => (part.startsWith("```") ? inlineMrkdwn(part) : quoted(part))));
}

function quoted(source) {
  const parts = [];
  for (const line of source.split("\n")) {
    const quote = /^(?:&gt;|>)\s?(.*)$/.exec(line);
    const last = parts.at(-1);
    if (quote && last?.quote) last.lines.push(quote[1]);
    else if (quote) parts.push({ quote: true, lines: [quote[1]] });
    else if (last && !last.quote) last.lines.push(line);
    else parts.push({ quote: false, lines: [line] });
  }
  return parts.map(({ quote, lines }) => (quote ? h("blockquote", {}, inlineMrkdwn(lines.join("\n"))) : inlineMrkdwn(lines.join("\n"))));
}

function inlineMrkdwn(source) {
  return inline(source, MRKDWN, (part) => drawn(unescaped(part)), ([, fence, code, sign, target, label, bold, italic, struck, name]) => {
    if (fence !== undefined) return h("pre", {}, unescaped(fence.replace(/^\n/, "")));
    if (code !== undefined) return h("code", {}, unescaped(code));
    if (target !== undefined) return angled(sign, target, label);
    if (bold !== undefined) return h("strong", {}, inlineMrkdwn(bold));
    if (italic !== undefined) return h("em", {}, inlineMrkdwn(italic));
    if (struck !== undefined) return h("s", {}, inlineMrkdwn(struck));
    return h("span", {}, emoji(name));
  });
}

function inline(source, pattern, plainPart, build) {
  const parts = [];
  let rest = source;
  for (let found = pattern.exec(rest); found; found = pattern.exec(rest)) {
    parts.push(...plainPart(rest.slice(0, found.index)), build(found));
    rest = rest.slice(found.index + found[0].length);
  }
  return [...parts, ...plainPart(rest)];
}

function angled(sign, target, label) {
  if (sign === "@") return h("span", { class: target === state.bot || target === state.me ? "mention strong" : "mention" }, "@" + nameOf(target));
  if (sign === "#") return h("span", { class: "mention" }, "#" + (state.channels.get(target)?.name ?? label ?? target));
  if (sign === "!") return h("span", { class: "mention strong" }, "@" + target.split("^")[0]);
  return link(unescaped(target), unescaped(label ?? target.replace(/^mailto:/, "")));
}

export function markdown(source) {
  return h("div", { class: "text markdown" }, markdownBlocks((source ?? "").split("\n")));
}

function markdownBlocks(lines) {
  const found = [];
  for (let at = 0; at < lines.length; ) {
    const [element, used] = markdownBlock(lines, at);
    if (element) found.push(element);
    at += used;
  }
  return found;
}

function markdownBlock(lines, at) {
  const line = lines[at];
  if (!line.trim()) return [null, 1];
  if (/^\s*```/.test(line)) return fenced(lines, at);
  if (/^\s*([-*_])(\s*\1){2,}\s*$/.test(line)) return [h("hr"), 1];
  if (/^\s*>/.test(line)) return taken(lines, at, /^\s*>/, (part) => h("blockquote", {}, markdownBlocks(part.map((one) => one.replace(/^\s*> ?/, "")))));
  if (/^\s*([-*+]|\d+[.)])\s+/.test(line)) return list(lines, at);
  if (line.includes("|") && /^\s*\|?[\s:|-]+\|[\s:|-]*$/.test(lines[at + 1] ?? "")) return taken(lines, at, /\|/, table);
  const heading = /^(#{1,6})\s+(.*?)\s*#*$/.exec(line);
  if (heading) return [h(`h${Math.min(6, heading[1].length + 2)}`, {}, inlineMarkdown(heading[2])), 1];
  return taken(lines, at, /^(?!\s*$|\s*```|\s*>|#{1,6}\s|\s*([-*+]|\d+[.)])\s)/, (part) => h("p", {}, inlineMarkdown(part.join("\n"))));
}

function fenced(lines, at) {
  const end = lines.findIndex((line, index) => index > at && /^\s*```\s*$/.test(line));
  const last = end < 0 ? lines.length : end;
  return [h("pre", {}, lines.slice(at + 1, last).join("\n")), last + 1 - at];
}

function taken(lines, at, pattern, build) {
  let end = at + 1;
  while (end < lines.length && pattern.test(lines[end])) end += 1;
  return [build(lines.slice(at, end)), end - at];
}

function list(lines, at) {
  const indent = /^\s*/.exec(lines[at])[0].length;
  const items = [];
  let end = at;
  for (; end < lines.length; end += 1) {
    const item = /^(\s*)(?:[-*+]|\d+[.)])\s+(.*)$/.exec(lines[end]);
    if (item && item[1].length <= indent + 1) items.push([item[2]]);
    else if (lines[end].trim() && /^\s{2,}/.test(lines[end]) && items.length) items.at(-1).push(lines[end].slice(Math.min(indent + 2, /^\s*/.exec(lines[end])[0].length)));
    else break;
  }
  const tag = /^\s*\d/.test(lines[at]) ? "ol" : "ul";
  const start = tag === "ol" ? { start: /\d+/.exec(lines[at])[0] } : {};
  return [h(tag, start, items.map(([first, ...more]) => h("li", {}, inlineMarkdown(first), markdownBlocks(more)))), end - at];
}

function table(lines) {
  const rows = lines.filter((_, index) => index !== 1).map((line) => line.trim().replace(/^\||\|$/g, "").split("|").map((cell) => cell.trim()));
  const row = (cells, tag) => h("tr", {}, cells.map((cell) => h(tag, {}, inlineMarkdown(cell))));
  return h("div", { class: "table" }, h("table", {}, h("thead", {}, row(rows[0], "th")), h("tbody", {}, rows.slice(1).map((cells) => row(cells, "td")))));
}

function inlineMarkdown(source) {
  return inline(source, MARKDOWN, (part) => withEmoji(unescaped(part)), (found) => {
    const [whole, code, sign, target, label, strong, strong2, italic, italic2, struck, text, url, escaped, bare] = found;
    if (code !== undefined) return h("code", {}, code);
    if (target !== undefined) return sign || /^(https?:|mailto:)/i.test(target) ? angled(sign, target, label) : whole;
    if (strong ?? strong2) return h("strong", {}, inlineMarkdown(strong ?? strong2));
    if (italic ?? italic2) return h("em", {}, inlineMarkdown(italic ?? italic2));
    if (struck !== undefined) return h("s", {}, inlineMarkdown(struck));
    if (url !== undefined) return link(url, inlineMarkdown(text || url));
    return escaped ?? link(bare, bare);
  });
}

export function unescaped(source) {
  return source.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
}

function withEmoji(source) {
  return drawn(source.replace(/:([a-z0-9_+-]+):/g, (whole, name) => EMOJI[name] ?? whole));
}
