// The page begins here: unpack what it carries, show it, take keys and themes.

import { button, element, trusted } from "./elements.js";
import { LessonView } from "./lesson.js";
import { SweepView } from "./sweep.js";
import { unpacked } from "./unpack.js";
import { KEYS, runsOf, RunsView } from "./view.js";

const DARK = matchMedia("(prefers-color-scheme: dark)");
const KINDS = {
  runs: runsShown,
  sweep: (page) => new SweepView(page),
  lesson: (page) => new LessonView(page),
};

let shown = null;

async function start() {
  const main = document.getElementById("page");
  setTheme(DARK.matches ? "dark" : "light");
  const page = await unpacked(
    JSON.parse(document.getElementById("data").textContent),
    document.getElementById("arrays").textContent.trim(),
  );
  shown = KINDS[page.kind](page);
  main.replaceChildren(headOf(page), shown.root, footOf(page));
  document.addEventListener("keydown", onKey);
  DARK.addEventListener("change", () => setTheme(DARK.matches ? "dark" : "light"));
  addEventListener("beforeprint", () => printed(true));
  addEventListener("afterprint", () => printed(false));
  requestAnimationFrame(() => requestAnimationFrame(() => (document.documentElement.dataset.ready = "yes")));
  window.scope = shown; // for who looks at the page with tools
}

function runsShown(page) {
  const { words, cautions, note } = page;
  const view = new RunsView(runsOf(page, page.shown, page.names), { words, cautions, note });
  if (page.telling_ns) view.clock.go(page.telling_ns); // two finished maps look alike
  return view;
}

function headOf(page) {
  const theme = button("◐", "Light or dark (T)", changeTheme, { class: "theme" });
  const title = element(
    "div",
    { class: "title" },
    element("h1", {}, page.title),
    page.idea_html ? trusted("p", page.idea_html, "idea") : null,
    page.about ? element("p", { class: "muted" }, page.about) : null,
  );
  return element("header", { class: "head" }, title, theme);
}

function footOf(page) {
  const runs = page.kind === "lesson" ? [] : page.runs;
  const totals = runs.map((run) =>
    element("p", {}, runs.length > 1 ? element("b", {}, `${run.about}: `) : null, run.totals),
  );
  const keys = KEYS.flatMap(([key, words]) => [element("dt", {}, key), element("dd", {}, words)]);
  const times = "Modelled times come from a cost model of a GPU, measured ones from a clock. Never compare the two.";
  return element(
    "footer",
    {},
    ...totals,
    element("details", { class: "keys" }, element("summary", {}, "Keys"), element("dl", {}, ...keys)),
    element("p", { class: "muted" }, `Made by SSSP Scope. ${times}`),
  );
}

function onKey(event) {
  if (event.defaultPrevented || event.target.closest("input:not([type=range]):not([type=checkbox]), select, textarea"))
    return;
  if (event.key === " " && event.target.closest("button, summary, input, a")) return;
  if (event.key.toLowerCase() === "t" && !event.ctrlKey && !event.metaKey) changeTheme();
  else if (!shown.key(event)) return;
  event.preventDefault();
}

function changeTheme() {
  setTheme(document.documentElement.dataset.theme === "dark" ? "light" : "dark");
}

function setTheme(name) {
  document.documentElement.dataset.theme = name;
  shown?.recolour();
}

/** On paper everything is light, whatever the screen has. */
function printed(begins) {
  const root = document.documentElement;
  if (begins) root.dataset.before = root.dataset.theme;
  setTheme(begins ? "light" : root.dataset.before);
}

start();
