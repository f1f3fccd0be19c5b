// Results of a class: what it predicted, question by question, and one table that can be sorted.

import { button, drawn, element } from "./elements.js";
import { counted, percent } from "./words.js";

const BAR = 22; // pixels: height of a bar and its gap
const WIDE = 420;
const NAME = 150; // pixels for the words of a bar

export class ClassView {
  constructor(page) {
    this.page = page;
    this.sorted = 0;
    this.table = element("table", { class: "class-table" });
    const problems = page.problems.map((one) => element("p", { class: "caution" }, one));
    this.root = element(
      "div",
      { class: "class" },
      ...problems,
      element("h2", {}, "What the class predicted"),
      element("div", { class: "histograms" }, ...page.asked.map(histogram)),
      element("h2", {}, "Every student"),
      element("div", { class: "table-field", tabindex: 0, role: "region", "aria-label": "Every student" }, this.table),
    );
    this.fill();
  }

  fill() {
    const { header, rows } = this.page;
    const sign = (at) => (at === this.sorted ? (this.down ? " ▼" : " ▲") : "");
    const head = header.map((name, at) => {
      const sort = this.down ? "descending" : "ascending";
      return element(
        "th",
        { scope: "col", "aria-sort": at === this.sorted ? sort : null },
        button(name + sign(at), `Sort by ${name}`, () => this.sort(at)),
      );
    });
    const order = [...rows].sort((a, b) => compared(a[this.sorted], b[this.sorted]) * (this.down ? -1 : 1));
    const body = order.map((row) =>
      element(
        "tr",
        {},
        ...row.map((cell, at) =>
          element(at ? "td" : "th", { scope: at ? null : "row", class: kindOf(cell) }, String(cell)),
        ),
      ),
    );
    this.table.replaceChildren(element("thead", {}, element("tr", {}, ...head)), element("tbody", {}, ...body));
  }

  sort(at) {
    this.down = at === this.sorted ? !this.down : false;
    this.sorted = at;
    this.fill();
  }

  recolour() {}

  key() {
    return false;
  }
}

function histogram(asked) {
  const most = Math.max(1, ...asked.bars.map((bar) => bar.count));
  const x = (count) => (count / most) * (WIDE - NAME - 60);
  const parts = asked.bars.flatMap((bar, at) => {
    const y = at * BAR;
    return [
      drawn("text", { class: "number", x: NAME - 8, y: y + 15, "text-anchor": "end" }, shortened(bar.words)),
      drawn("rect", { class: "wrong-bar", x: NAME, y: y + 3, width: x(bar.count), height: BAR - 6 }),
      drawn("rect", { class: "right-bar", x: NAME, y: y + 3, width: x(bar.right), height: BAR - 6 }),
      drawn("text", { class: "number", x: NAME + x(bar.count) + 6, y: y + 15 }, `${bar.count}${bar.right ? " ✓" : ""}`),
    ];
  });
  const told = asked.bars.map((bar) => `${bar.words}: ${bar.count}, ${bar.right} right`).join("; ");
  const svg = drawn(
    "svg",
    { class: "histogram", viewBox: `0 0 ${WIDE} ${asked.bars.length * BAR + 4}`, role: "img", "aria-label": told },
    ...parts,
  );
  const share = asked.answered ? percent(asked.right / asked.answered) : "–";
  const words = `${counted(asked.answered, "answer", "answers")}, ${share} right`;
  return element(
    "figure",
    { class: "asked-of" },
    element(
      "figcaption",
      {},
      element("h3", {}, asked.step),
      element("p", {}, asked.question),
      element("p", { class: "muted" }, words),
    ),
    svg,
  );
}

function shortened(words) {
  return words.length > 24 ? `${words.slice(0, 23)}…` : words;
}

function compared(a, b) {
  if (typeof a === "number" && typeof b === "number") return a - b;
  return String(a).localeCompare(String(b), "en", { numeric: true });
}

function kindOf(cell) {
  const sign = typeof cell === "string" ? cell[0] : "";
  return sign === "✓" ? "right" : sign === "✗" ? "wrong" : null;
}
