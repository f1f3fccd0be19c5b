// Questions as fields: each calls `give(answer)`, null while there is no answer yet.

import { Clock } from "./clock.js";
import { drawn, element, label, trusted } from "./elements.js";
import { MapView } from "./map.js";
import { nameOf } from "./run.js";
import { plainNumber } from "./words.js";

const WIDE = 440; // of a drawn curve, its own units
const HIGH = 200;
const ROOM = 26; // around it
const NUDGE = 0.05; // of the height, an arrow key

/** Return {root, show(answer)}: the field of a question; `look`: the graph, for a vertex. */
export function fieldOf(question, give, look) {
  if (question.kind === "vertex") return vertexField(give, look);
  const kinds = { number: numberField, choice: choiceField, bucket: bucketField, curve: curveField };
  return kinds[question.kind](question, give);
}

function numberField({ low, high, decimals, unit }, give) {
  const box = element("input", {
    type: "number",
    min: low,
    max: high,
    step: decimals ? "any" : 1,
    placeholder: "?",
    "aria-label": "Your answer",
  });
  box.addEventListener("input", () => {
    const value = Number(box.value);
    give(box.value !== "" && value >= low && value <= high ? value : null);
  });
  const range = element("span", { class: "muted" }, `from ${plainNumber(low)} to ${plainNumber(high)}`);
  return {
    root: element("label", { class: "number-row" }, box, ` ${unit} `, range),
    show: (answer) => (box.value = answer),
  };
}

function choiceField({ choices }, give) {
  const radios = choices.map((_, place) => {
    const radio = element("input", { type: "radio", name: "choice", value: place });
    radio.addEventListener("change", () => give(place));
    return radio;
  });
  const rows = radios.map((radio, place) =>
    element("label", { class: "choice" }, radio, trusted("span", choices[place])),
  );
  return {
    root: element("div", { class: "choices", role: "radiogroup" }, ...rows),
    show: (answer) => (radios[answer].checked = true),
  };
}

function bucketField({ low, high }, give) {
  const choices = Array.from({ length: high - low + 1 }, (_, at) => `Bucket ${low + at}`);
  const field = choiceField({ choices }, (place) => give(low + place));
  return { root: field.root, show: (answer) => field.show(answer - low) };
}

function vertexField(give, look) {
  const words = element("p", { class: "readout" }, "Click a vertex, or type its name and press Enter.");
  const show = (vertex) => {
    words.textContent = `Your answer: ${nameOf(look.run.graph, vertex)}`;
    map.pick(vertex);
  };
  const chosen = (vertex) => {
    show(vertex);
    give(vertex);
  };
  const map = new MapView(look.run, new Clock(1), { rings: look.rings, chosen });
  return { root: element("div", { class: "vertex-field" }, map.root, words), show, map };
}

function curveField({ values }, give) {
  let heights = values.map(() => 0.5);
  const last = values.length - 1;
  const svg = drawn("svg", { class: "curve ask-curve", viewBox: `0 0 ${WIDE} ${HIGH}` });
  const x = (at) => ROOM + (at / last) * (WIDE - 2 * ROOM);
  const y = (height) => ROOM / 2 + (1 - height) * (HIGH - 2 * ROOM);
  const line = drawn("path", { class: "line of-by-hand strong" });
  const dots = values.map((value, at) => {
    const dot = drawn("circle", {
      class: "point of-by-hand",
      r: 8,
      tabindex: 0,
      role: "slider",
      "aria-label": `Height at ${plainNumber(value)}`,
      "aria-valuemin": 0,
      "aria-valuemax": 1,
    });
    dot.addEventListener("keydown", (event) => {
      const step = { ArrowUp: NUDGE, ArrowDown: -NUDGE }[event.key];
      if (!step) return;
      event.preventDefault();
      event.stopPropagation();
      move(at, heights[at] + step);
    });
    return dot;
  });
  const show = (answer) => {
    heights = [...answer];
    line.setAttribute("d", `M${heights.map((height, at) => `${x(at)} ${y(height)}`).join("L")}`);
    dots.forEach((dot, at) => {
      dot.setAttribute("cx", x(at));
      dot.setAttribute("cy", y(heights[at]));
      dot.setAttribute("aria-valuenow", heights[at].toFixed(2));
    });
  };
  const move = (at, height) => {
    show(heights.map((one, place) => (place === at ? Math.min(Math.max(height, 0), 1) : one)));
    give([...heights]);
  };
  const dragged = (event) => {
    const box = svg.getBoundingClientRect();
    const across = ((event.clientX - box.left) / box.width) * WIDE;
    const down = ((event.clientY - box.top) / box.height) * HIGH;
    const at = Math.round(((across - ROOM) / (WIDE - 2 * ROOM)) * last);
    if (at >= 0 && at <= last) move(at, 1 - (down - ROOM / 2) / (HIGH - 2 * ROOM));
  };
  svg.addEventListener("pointerdown", (event) => {
    svg.setPointerCapture(event.pointerId);
    dragged(event);
  });
  svg.addEventListener("pointermove", (event) => event.buttons && dragged(event));
  svg.append(line, ...values.map((value, at) => label(plainNumber(value), x(at), HIGH - 4)), ...dots);
  show(heights);
  const help = "Drag the points, or move each with the up and down keys; only higher or lower counts.";
  return { root: element("div", {}, svg, element("p", { class: "muted" }, help)), show };
}
