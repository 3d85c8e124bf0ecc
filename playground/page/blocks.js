// Block Kit, as elements. `press` is called with what names the thing that was pressed.

import { h, link } from "./dom.js";
import { drawn } from "./icons.js";
import { markdown, mrkdwn, plain } from "./text.js";

const BUILDERS = {
  section, header, context, actions, context_actions: actions, image, rich_text, task_card, plan, table,
  divider: () => h("hr", { class: "divider" }),
  markdown: (block) => markdown(block.text),
};

const TASK_MARKS = { pending: "○", in_progress: "", complete: "✓", error: "!" };

export function blocks(list, press) {
  return list.map((block) => BUILDERS[block.type]?.(block, press) ?? h("div", { class: "muted" }, `[${block.type}]`));
}

export function element(part, block, press) {
  switch (part.type) {
    case "button": return button(part, part, block, press);
    case "icon_button": return button(part, part, block, press);
    case "feedback_buttons": return feedback(part, block, press);
    case "static_select": case "overflow": return select(part, block, press);
    case "radio_buttons": return radios(part, block, press);
    case "image": return image(part);
    case "mrkdwn": case "plain_text": return plain(part);
    default: return h("span", { class: "muted" }, `[${part.type}]`);
  }
}

export function optionsOf(part) {
  return [...(part.options ?? []), ...(part.option_groups ?? []).flatMap((group) => group.options)];
}

function section(block, press) {
  return h("div", { class: "section" },
    h("div", { class: "grow" }, block.text && plain(block.text), block.fields && h("div", { class: "fields" }, block.fields.map(plain))),
    block.accessory && element(block.accessory, block, press));
}

function header(block) {
  return h("div", { class: "header" }, plain(block.text));
}

function context(block) {
  return h("div", { class: "context" }, block.elements.map((part) => element(part)));
}

function actions(block, press) {
  return h("div", { class: block.type === "actions" ? "actions" : "actions quiet" }, block.elements.map((part) => element(part, block, press)));
}

function button(part, says, block, press, sign = "") {
  const label = says.text?.text ?? part.action_id;
  const style = part.style ? ` ${part.style}` : "";
  const named = { action_id: part.action_id, label, value: says.value };
  const mark = press?.mark(block, named) ?? "";
  const pressed = h("button", {
    type: "button", class: `button${style} ${mark}`, "aria-busy": mark === "busy" || undefined,
    title: mark === "failed" ? "The app did not answer. Try again." : part.accessibility_label,
    onclick: () => press?.(block, named, part.confirm),
  }, drawn(sign), plain({ text: label }));
  return part.url ? h("span", {}, link(part.url, pressed)) : pressed;
}

function feedback(part, block, press) {
  return [["👍", part.positive_button], ["👎", part.negative_button]]
    .filter(([, says]) => says).map(([sign, says]) => button(part, says, block, press, sign));
}

function select(part, block, press) {
  const isMenu = part.type === "overflow";
  const says = isMenu ? "⋯" : part.placeholder?.text ?? "…";
  return h("select", {
    class: isMenu ? "menu" : undefined, "aria-label": isMenu ? "More choices" : part.placeholder?.text ?? "Choose",
    onchange: (event) => {
      if (event.target.value) press?.(block, { action_id: part.action_id, value: event.target.value });
      if (isMenu) event.target.value = "";
    },
  }, h("option", { value: "", hidden: isMenu || undefined }, says), optionsOf(part).map((option) => h("option", { value: option.value }, option.text.text)));
}

function radios(part, block, press) {
  return h("fieldset", { class: "radios" }, optionsOf(part).map((option) =>
    h("label", {}, h("input", { type: "radio", name: part.action_id, onchange: () => press?.(block, { action_id: part.action_id, value: option.value }) }), plain(option.text))));
}

function image(block) {
  // Pictures are elsewhere, and no request leaves this machine.
  return h("span", { class: "image" }, "🖼 ", block.image_url ? link(block.image_url, block.alt_text || "image") : block.alt_text || "image");
}

function task_card(block) {
  const sources = (block.sources ?? []).map((source) => link(source.url ?? "", source.text ?? source.url ?? "source"));
  return h("div", { class: `task ${block.status}` },
    h("span", { class: "task-mark", "aria-hidden": "true" }, TASK_MARKS[block.status] ?? ""),
    h("div", {}, h("div", { class: "task-title" }, block.title, h("span", { class: "hidden" }, ` (${(block.status ?? "").replace("_", " ")})`)),
      block.details && h("div", { class: "muted" }, detail(block.details)),
      block.output && h("div", { class: "muted" }, detail(block.output)),
      sources.length > 0 && h("div", { class: "task-sources" }, sources)));
}

function plan(block) {
  const tasks = block.tasks ?? [];
  const isOpen = tasks.some((task) => task.status !== "complete");
  return h("details", { class: "plan", open: isOpen }, h("summary", {}, typeof block.title === "string" ? block.title : plain(block.title)), tasks.map(task_card));
}

function detail(value) {
  return typeof value === "string" ? mrkdwn(value) : rich_text(value);
}

function table(block) {
  return h("div", { class: "table" }, h("table", {}, block.rows.map((row) => h("tr", {}, row.map((cell) => h("td", {}, cell.type === "rich_text" ? rich_text(cell) : cell.text ?? ""))))));
}

function rich_text(block) {
  return h("div", { class: "text" }, (block.elements ?? []).map(richPart));
}

function richPart(part) {
  const inner = () => (part.elements ?? []).map(richPart);
  switch (part.type) {
    case "text": return part.style?.bold ? h("strong", {}, part.text) : part.style?.italic ? h("em", {}, part.text) : part.style?.code ? h("code", {}, part.text) : part.text;
    case "link": return link(part.url, part.text ?? part.url);
    case "user": return mrkdwn(`<@${part.user_id}>`);
    case "emoji": return mrkdwn(`:${part.name}:`);
    case "rich_text_list": return h(part.style === "ordered" ? "ol" : "ul", {}, (part.elements ?? []).map((item) => h("li", {}, richPart(item))));
    case "rich_text_quote": return h("blockquote", {}, inner());
    case "rich_text_preformatted": return h("pre", {}, inner());
    default: return h("span", {}, inner());
  }
}
