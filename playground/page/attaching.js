// A text file that goes along with what a person writes next.

import { h } from "./dom.js";
import { drawn } from "./icons.js";

const LARGEST = 1_000_000;

// Returns the button, the chosen file's name with a way to leave it out, and functions for whoever sends it.
export function attachment(toast) {
  let chosen = null;
  const shown = h("div", { class: "attached" });
  const show = (file) => {
    chosen = file;
    const leave = h("button", { type: "button", class: "close", "aria-label": "Leave the file out", onclick: () => show(null) }, "✕");
    shown.replaceChildren(...(file ? [h("span", { class: "file" }, drawn("📄"), h("strong", {}, file.name), h("span", { class: "muted" }, sizeOf(file.size)), leave)] : []));
  };
  const input = h("input", { type: "file", hidden: true, "aria-label": "File", onchange: async () => {
    const [file] = input.files;
    input.value = "";
    if (file) await read(file).then(show, (error) => toast(error.message));
  } });
  const button = h("button", { type: "button", class: "attach", title: "Attach a text file", "aria-label": "Attach a text file", onclick: () => input.click() }, "+");
  return { parts: [shown, input], button, get: () => chosen, show };
}

export function sizeOf(bytes) {
  return bytes < 1000 ? `${bytes} bytes` : `${Math.round(bytes / 1000)} kB`;
}

async function read(file) {
  if (file.size > LARGEST) throw new Error("The local Slack takes files of up to 1 MB.");
  const bytes = await file.arrayBuffer();
  try {
    return { name: file.name, size: file.size, content: new TextDecoder("utf-8", { fatal: true }).decode(bytes) };
  } catch {
    throw new Error("The local Slack takes text files only. `askback ingest` reads PDF and Office files.");
  }
}
