// The menu behind a button, for what is said in words: arrow keys move, Escape or a click elsewhere closes it.

import { h } from "./dom.js";

// `choices` gives pairs of what an item says and what it does.
export function menuButton(sign, label, choices) {
  const button = h("button", {
    type: "button", title: label, "aria-label": label, "aria-haspopup": "menu", "aria-expanded": "false",
    // The browser opens and closes the menu that it finds here after the click.
    onclick: () => { button.popoverTargetElement ??= menu(button, label, choices()); },
  }, sign);
  return button;
}

// Not in the message: that may be drawn again while the menu is open.
function menu(button, label, choices) {
  const list = h("div", {
    class: "choices", role: "menu", "aria-label": label, popover: "auto",
    onkeydown: (event) => move(event, list),
    onbeforetoggle: (event) => button.setAttribute("aria-expanded", String(event.newState === "open")),
    ontoggle: (event) => { if (event.newState === "closed") { button.popoverTargetElement = null; list.remove(); } },
  }, choices.map(([says, act], index) => h("button", {
    type: "button", role: "menuitem", tabindex: "-1", autofocus: index === 0, onclick: () => { list.hidePopover(); act(); },
  }, says)));
  place(list, button.getBoundingClientRect());
  document.body.append(list);
  return list;
}

// On the side of the button that has more room.
function place(list, { top, bottom, right }) {
  const isLow = top + bottom > window.innerHeight;
  list.style.right = `${window.innerWidth - right}px`;
  if (isLow) list.style.bottom = `${window.innerHeight - top + 4}px`;
  else list.style.top = `${bottom + 4}px`;
}

function move(event, list) {
  const all = [...list.children];
  const at = all.indexOf(document.activeElement);
  const to = { ArrowDown: at + 1, ArrowUp: at + all.length - 1, Home: 0, End: all.length - 1 }[event.key];
  if (event.key === "Tab") list.hidePopover();
  if (to === undefined) return;
  event.preventDefault();
  all[to % all.length].focus();
}
