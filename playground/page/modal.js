// Modals that the bot opens for the person who is acting.

import { blocks, element, optionsOf } from "./blocks.js";
import { act } from "./control.js";
import { h } from "./dom.js";
import { state } from "./state.js";
import { plain } from "./text.js";

let shown = "";

export function showModal(root, toast) {
  const view = [...state.views.values()].filter((one) => one.shown_to === state.me).at(-1);
  const identity = view ? `${view.id} ${view.hash}` : "";
  if (identity === shown) return;
  shown = identity;
  root.replaceChildren();
  if (!view) return;
  const dialog = build(view, toast);
  root.append(dialog);
  dialog.showModal();
  dialog.querySelector("textarea, input, select")?.focus();
}

function build(view, toast) {
  const close = () => act(state.me, "close_view", { view: view.id }).catch((error) => toast(error.message));
  const submit = h("button", { class: "button primary" }, view.submit?.text ?? "Submit");
  const form = h("form", { onsubmit: (event) => send(event, form, submit, view, toast) },
    h("header", {}, h("h2", {}, view.title.text), h("button", { type: "button", class: "close", "aria-label": "Close", onclick: close }, "✕")),
    h("div", { class: "modal-body" }, view.blocks.map((block) => (block.type === "input" ? input(block) : blocks([block], presser(view, toast))))),
    h("footer", {}, h("button", { type: "button", class: "button", onclick: close }, view.close?.text ?? "Cancel"), view.submit && submit));
  return h("dialog", { class: "modal", "aria-label": view.title.text, oncancel: (event) => { event.preventDefault(); close(); } }, form);
}

async function send(event, form, submit, view, toast) {
  event.preventDefault();
  for (const error of form.querySelectorAll(".error")) error.textContent = "";
  submit.disabled = true;
  try {
    const answer = await act(state.me, "submit", { view: view.id, values: Object.fromEntries(new FormData(form)) });
    for (const [block, message] of Object.entries(answer.errors ?? {})) {
      form.querySelector(`[data-block="${CSS.escape(block)}"] .error`).textContent = message;
    }
  } catch (error) {
    toast(error.message);
  } finally {
    submit.disabled = false;
  }
}

function input(block) {
  return h("label", { class: "field", "data-block": block.block_id },
    h("span", {}, h("strong", {}, block.label.text), block.optional && h("span", { class: "muted" }, " (optional)")),
    control(block),
    block.hint && h("span", { class: "muted" }, plain(block.hint)),
    h("span", { class: "error", role: "alert" }));
}

function control(block) {
  const part = block.element;
  const common = { name: block.block_id, required: !block.optional };
  switch (part.type) {
    case "plain_text_input": case "email_text_input": case "url_text_input": case "number_input": {
      const given = { ...common, placeholder: part.placeholder?.text, maxlength: part.max_length, value: part.initial_value ?? "" };
      return part.multiline ? h("textarea", { ...given, rows: 4 }) : h("input", given);
    }
    case "static_select":
      return h("select", common, h("option", { value: "" }, part.placeholder?.text ?? "Choose…"), optionsOf(part).map((option) => h("option", { value: option.value, selected: option.value === part.initial_option?.value }, option.text.text)));
    case "radio_buttons":
      return h("span", { class: "radios" }, optionsOf(part).map((option) => h("label", {}, h("input", { type: "radio", ...common, value: option.value, checked: option.value === part.initial_option?.value }), plain(option.text))));
    default:
      return element(part, block);
  }
}

export function presser(view, toast) {
  const press = (block, named) => act(state.me, "click_in_view", { view_id: view.id, ...named }).catch((error) => toast(error.message));
  press.mark = () => "";
  return press;
}
