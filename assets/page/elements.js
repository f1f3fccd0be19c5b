// Elements, made by hand: text is always text, never markup.

const SVG = "http://www.w3.org/2000/svg";

/** Return an element with attributes and children; a child that is text becomes text. */
export function element(name, attributes = {}, ...children) {
  return filled(document.createElement(name), attributes, children);
}

/** Return an element of a drawing. */
export function drawn(name, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, name), attributes, children);
}

/** Return words in a drawing; `anchor`: "start", "middle" or "end". */
export function label(words, x, y, anchor = "middle", kind = "number") {
  return drawn("text", { class: kind, x, y, "text-anchor": anchor }, words);
}

/** Return an element with markup of our own program: gpu.lessons.markdown and figures let no tag in. */
export function trusted(name, html, kind = "") {
  const made = element(name, { class: kind });
  made.innerHTML = html;
  return made;
}

/** Return a button that does something. */
export function button(label, title, act, attributes = {}) {
  const made = element("button", { type: "button", title, "aria-label": title, ...attributes }, label);
  made.addEventListener("click", act);
  return made;
}

/** Return the colours that the style has now: a name without its dashes -> its value. */
export function colours(at = document.documentElement) {
  const style = getComputedStyle(at);
  const one = (name) => style.getPropertyValue(`--${name}`).trim();
  const list = (name) => one(name).split(/\s+/);
  return {
    plot: one("plot"),
    text: one("text"),
    settled: one("settled"),
    tentative: one("tentative"),
    heat: list("heat"),
    range: list("map-range").map(Number),
  };
}

/** Whether movement is unwelcome. */
export function isStill() {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}

function filled(made, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined && value !== false) {
      made.setAttribute(name, value === true ? "" : value);
    }
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}
