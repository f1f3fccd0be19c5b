// Questions as fields: each tells what its reader means by `given(answer)`, null: nothing yet.

import { button, drawn, element, label, trusted } from "./elements.js";
import { MapView } from "./map.js";
import { nameOf } from "./run.js";
import { plainNumber } from "./words.js";

const TICKS = 1000; // of a slider
const WIDE = 440; // of a drawn curve, its own units
const HIGH = 200;
const ROOM = 26; // around it
const NUDGE = 0.05; // of the height, an arrow key

/** Return {root, show(answer)}: the field of a question. */
export function fieldOf(question, given, look) {
  return { number: numberField, choice: choiceField, vertex: vertexField, bucket: bucketField, curve: curveField }[
    question.kind
  ](question, given, look);
}

function numberField(question, given) {
  const { low, high, logarithmic, unit, decimals } = question;
  const log = logarithmic && low > 0;
  const valueAt = (share) => {
    const value = log ? low * (high / low) ** share : low + share * (high - low);
    return Number(Number(value.toPrecision(3)).toFixed(decimals));
  };
  const shareOf = (value) => (log ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low));
  const slider = element("input", {
    type: "range",
    min: 0,
    max: TICKS,
    value: TICKS / 2,
    "aria-label": "Your answer, as a slider",
  });
  const box = element("input", {
    type: "number",
    min: low,
    max: high,
    step: decimals ? "any" : 1,
    placeholder: "?",
    "aria-label": "Your answer",
  });
  slider.addEventListener("input", () => {
    box.value = valueAt(slider.value / TICKS);
    given(Number(box.value));
  });
  box.addEventListener("input", () => {
    const value = Number(box.value);
    const fits = box.value !== "" && value >= low && value <= high;
    if (fits) slider.value = TICKS * shareOf(value);
    given(fits ? value : null);
  });
  const row = element(
    "div",
    { class: "number-row" },
    element("span", { class: "muted" }, plainNumber(low)),
    slider,
    element("span", { class: "muted" }, plainNumber(high)),
    box,
    unit,
  );
  const show = (answer) => {
    box.value = answer;
    slider.value = TICKS * shareOf(answer);
  };
  return { root: row, show };
}

function choiceField(question, given) {
  const name = `choice-${Math.random().toString(36).slice(2)}`;
  const radios = question.choices.map((_, place) => {
    const radio = element("input", { type: "radio", name, value: place });
    radio.addEventListener("change", () => given(place));
    return radio;
  });
  const rows = radios.map((radio, place) =>
    element("label", { class: "choice" }, radio, trusted("span", question.choices[place])),
  );
  return {
    root: element("div", { class: "choices", role: "radiogroup" }, ...rows),
    show: (answer) => (radios[answer] ? (radios[answer].checked = true) : null),
  };
}

function vertexField(question, given, look) {
  const said = element("p", { class: "readout" }, "Click a vertex, or type its name and press Enter.");
  const show = (vertex) => {
    said.textContent = `Your answer: ${nameOf(look.run.graph, vertex)}`;
    map.ring(look.rings, vertex);
  };
  const map = new MapView(look.run, look.clock, {
    rings: look.rings,
    chosen: (vertex) => {
      show(vertex);
      given(vertex);
    },
  });
  return { root: element("div", { class: "vertex-field" }, map.root, said), show, map };
}

function bucketField(question, given) {
  const buttons = [];
  for (let bucket = question.low; bucket <= question.high; bucket += 1) {
    buttons.push(
      button(
        String(bucket),
        `Bucket ${bucket}`,
        () => {
          show(bucket);
          given(bucket);
        },
        { "aria-pressed": "false", class: "bucket" },
      ),
    );
  }
  const show = (answer) =>
    buttons.forEach((one, at) => one.setAttribute("aria-pressed", String(question.low + at === answer)));
  return { root: element("div", { class: "buckets", role: "group", "aria-label": "Your bucket" }, ...buttons), show };
}

function curveField(question, given) {
  const count = question.values.length;
  let heights = new Array(count).fill(0.5);
  const svg = drawn("svg", { class: "curve ask-curve", viewBox: `0 0 ${WIDE} ${HIGH}` });
  const x = (at) => ROOM + (at / (count - 1)) * (WIDE - 2 * ROOM);
  const y = (height) => ROOM / 2 + (1 - height) * (HIGH - 2 * ROOM);
  const line = drawn("path", { class: "line of-by-hand strong" });
  const dots = question.values.map((value, at) => {
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
  const draw = () => {
    line.setAttribute("d", heights.map((height, at) => `${at ? "L" : "M"}${x(at)} ${y(height)}`).join(""));
    dots.forEach((dot, at) => {
      dot.setAttribute("cx", x(at));
      dot.setAttribute("cy", y(heights[at]));
      dot.setAttribute("aria-valuenow", heights[at].toFixed(2));
    });
  };
  const move = (at, height) => {
    heights = heights.map((one, place) => (place === at ? Math.min(Math.max(height, 0), 1) : one));
    draw();
    given([...heights]);
  };
  const dragged = (event) => {
    const box = svg.getBoundingClientRect();
    const at = Math.round(((((event.clientX - box.left) / box.width) * WIDE - ROOM) / (WIDE - 2 * ROOM)) * (count - 1));
    const height = 1 - (((event.clientY - box.top) / box.height) * HIGH - ROOM / 2) / (HIGH - 2 * ROOM);
    if (at >= 0 && at < count) move(at, height);
  };
  svg.addEventListener("pointerdown", (event) => {
    svg.setPointerCapture(event.pointerId);
    dragged(event);
  });
  svg.addEventListener("pointermove", (event) => (event.buttons ? dragged(event) : null));
  const labels = question.values.map((value, at) =>
    label(plainNumber(value), x(at), HIGH - 4),
  );
  svg.append(line, ...labels, ...dots);
  draw();
  const show = (answer) => {
    heights = [...answer];
    draw();
  };
  return {
    root: element(
      "div",
      {},
      svg,
      element(
        "p",
        { class: "muted" },
        "Drag the points, or move each with the up and down keys; only higher or lower counts.",
      ),
    ),
    show,
  };
}
