// Small drawings of our own, for what many machines have no emoji font for.

import { h } from "./dom.js";

const SVG = "http://www.w3.org/2000/svg";
const THUMB = "M2 11h4v10H2zM8 20.500V11l4-8c1.700 0 2.800 1.300 2.500 3L14 9h5.500a2 2 0 0 1 2 2.400l-1.500 8A2 2 0 0 1 18 21H9.500z";

const DRAWINGS = {
  "👍": { label: "thumbs up", path: THUMB, color: "#d99a16" },
  "👎": { label: "thumbs down", path: THUMB, color: "#d99a16", turn: "rotate(180 12 12)" },
  "👀": { label: "eyes", path: "M7 5c3 0 5 3 5 7s-2 7-5 7-5-3-5-7 2-7 5-7zm10 0c3 0 5 3 5 7s-2 7-5 7-5-3-5-7 2-7 5-7zM8.500 10a2 2 0 1 0 0 4 2 2 0 0 0 0-4zm10 0a2 2 0 1 0 0 4 2 2 0 0 0 0-4z", color: "#4a4f55" },
  "🎉": { label: "party", path: "M3 21l5-12 7 7zM14 3l1 3 3 1-3 1-1 3-1-3-3-1 3-1zM20 11l.700 2 2 .700-2 .700-.700 2-.700-2-2-.700 2-.700z", color: "#b83280" },
  "👁": { label: "visible", path: "M12 5c5 0 9 4 10 7-1 3-5 7-10 7S3 15 2 12c1-3 5-7 10-7zm0 3.500a3.500 3.500 0 1 0 0 7 3.500 3.500 0 0 0 0-7z", color: "#5c5b60" },
  "📄": { label: "file", path: "M5 2h10l4 4v16H5zm9 1.500V7h3.500zM8 11v1.500h8V11zm0 4v1.500h8V15z", color: "#4a4f55" },
  "💬": { label: "reply", path: "M3 4h18v13H11l-5 4v-4H3zM7 8v1.500h10V8zm0 3.500V13h7v-1.500z", color: "#4a4f55" },
  "✏": { label: "edit", path: "M3 21l1-5L15 5l4 4L8 20zM16 4l2-2 4 4-2 2z", color: "#4a4f55" },
  "⋮": { label: "more", path: "M10 4h4v4h-4zm0 6h4v4h-4zm0 6h4v4h-4z", color: "#4a4f55" },
};

const DAY = /\d{4}-\d{2}-\d{2}/;
const PATTERN = new RegExp(`(${Object.keys(DRAWINGS).join("|")})\\uFE0F?|(${DAY.source})`, "u");

// A text with every sign that is drawn here as a drawing, days that no line divides, and the rest as it is.
export function drawn(text) {
  return text.split(PATTERN).filter(Boolean).map((part) => (DRAWINGS[part] ? drawing(DRAWINGS[part]) : DAY.test(part) ? h("span", { class: "day" }, part) : part));
}

function drawing({ label, path, color, turn }) {
  const svg = document.createElementNS(SVG, "svg");
  const shape = document.createElementNS(SVG, "path");
  const give = (element, attributes) => Object.entries(attributes).forEach(([name, value]) => value && element.setAttribute(name, value));
  give(svg, { viewBox: "0 0 24 24", class: "icon", role: "img", "aria-label": label });
  give(shape, { d: path, fill: color, "fill-rule": "evenodd", transform: turn });
  svg.append(shape);
  return svg;
}
