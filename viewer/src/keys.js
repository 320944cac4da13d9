// The keyboard, and the list of keys.
import { element } from "./dom.js";

const LIST = [
  ["space", "play, pause"],
  ["← →", "one row; with Shift ten"],
  ["Home End", "start, end"],
  ["+ -", "faster, slower"],
  ["f", "fit the machine"],
  ["x y z", "view along an axis"],
  ["n r t g j o", "names, reactions, trails, start, joints, follow"],
  ["d", "light or dark"],
  ["drag", "machine: turn or shift; curves: zoom, double click: all"],
  ["click", "curve: go to this time; point of the machine: its trail"],
];

export function keyHelp() {
  const rows = LIST.map(([key, text]) => element("tr", {}, element("th", {}, key), element("td", {}, text)));
  const root = element("dialog.keys", { "aria-label": "Keys" }, element("table", {}, ...rows), element("button.done", { onclick: () => root.close() }, "Close"));
  return root;
}

const STAGE = { n: "names", r: "reactions", t: "trails", g: "ghost", j: "joints", o: "follow" };
const AXES = { x: [1, 0, 0], y: [0, -1, 0], z: [0, 0, 1] };

// until `signal` ends it
export function listenKeys({ clock, stage, theme, help }, signal) {
  const actions = {
    " ": () => clock.play(),
    ArrowLeft: (e) => clock.step(e.shiftKey ? -10 : -1),
    ArrowRight: (e) => clock.step(e.shiftKey ? 10 : 1),
    Home: () => clock.set(clock.start),
    End: () => clock.set(clock.end),
    "+": () => clock.faster(1),
    "-": () => clock.faster(-1),
    d: theme,
    "?": () => help.showModal(),
  };
  if (stage) {
    actions.f = () => stage.fit();
    for (const key in STAGE) actions[key] = () => stage.toggle(STAGE[key]);
    for (const key in AXES) actions[key] = () => stage.look(AXES[key]);
  }
  document.addEventListener("keydown", (e) => {
    const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(e.target.tagName) && e.target.type !== "range";
    if (typing || e.ctrlKey || e.metaKey || e.altKey || document.querySelector("dialog[open]")) return;
    const action = actions[e.key];
    if (!action) return;
    e.preventDefault();
    action(e);
  }, { signal });
}
