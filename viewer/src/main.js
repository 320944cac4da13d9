// The page: reads its data and puts the pieces together.
import style from "./style.css";
import plotStyle from "uplot/dist/uPlot.min.css";
import { Clock } from "./clock.js";
import { Curves, firstPanels } from "./curves.js";
import { complaintsOf } from "./complaints.js";
import { element } from "./dom.js";
import { film } from "./film.js";
import { follow } from "./live.js";
import { header } from "./header.js";
import { keyHelp, listenKeys } from "./keys.js";
import { modeList } from "./modes.js";
import { report } from "./report.js";
import { Run } from "./run.js";
import { Stage } from "./stage.js";
import { applyTheme, setTheme, toggleTheme } from "./theme.js";
import { Transport } from "./transport.js";

// names of several runs: what their paths do not share
function label(runs) {
  const parts = runs.map((run) => run.data.path.split("/"));
  for (const [k, run] of runs.entries()) {
    const own = parts[k];
    const same = (n) => parts.every((p) => p[p.length - 1 - n] === own[own.length - 1 - n]);
    run.label = runs.length === 1 ? "" : own.filter((_, i) => !same(own.length - 1 - i)).join("/") || own[own.length - 1];
  }
}

// "#t=1.5&theme=dark" and "?t=1.5"; a plus is that of 1e+5, no space
function wishes() {
  const parts = [...new URLSearchParams(location.search), ...new URLSearchParams(location.hash.slice(1))];
  return new Map(parts.map(([key, value]) => [key, value.replaceAll(" ", "+")]));
}

function rowsOf(run) {
  return (t) => {
    const row = run.nearestRow(t);
    return (count) => run.time[Math.min(run.time.length - 1, Math.max(0, row + count))];
  };
}

function start() {
  const data = JSON.parse(document.getElementById("data").textContent);
  document.head.append(element("style", {}, plotStyle, style));
  const wish = wishes();
  if (wish.has("theme")) setTheme(wish.get("theme"));
  applyTheme();
  if (data.runs[0]?.mode) showMode(data, wish.has("mode") ? Number(wish.get("mode")) - 1 : data.runs.findIndex((run) => run.mode.frequency > 0));
  else show(data.runs.map((run, k) => new Run(run, k)));
  if (data.live) live();
}

// While the run goes on: more rows every second; who is at the end stays there.
function live() {
  const { clock, stage, curves, runs } = trammel;
  clock.set(clock.end);
  trammel.live = true;
  const update = (data) => {
    const atEnd = !clock.playing && clock.t >= clock.end;
    data.runs.forEach((run, k) => runs[k].read(run));
    clock.end = Math.max(...runs.map((r) => r.end));
    stage?.grow();
    curves.refresh();
    trammel.refreshHeader();
    clock.set(atEnd ? clock.end : clock.t);
  };
  follow(update, () => {
    trammel.live = false;
    trammel.refreshHeader();
  });
}

// One mode at a time, the first that swings; the others are in the list beside it.
function showMode(data, index) {
  const mode = data.runs[index] ? index : 0;
  const list = modeList(data.runs, mode, (k) => {
    document.body.replaceChildren();
    showMode(data, k);
  });
  show([new Run(data.runs[mode], 0)], list);
  if (wishes().has("film")) return;
  trammel.clock.speed = 0.5; // two seconds a period
  trammel.clock.play(true);
}

function show(runs, modes) {
  const wish = wishes();
  label(runs);

  stop?.();
  const clock = new Clock(Math.min(...runs.map((r) => r.start)), Math.max(...runs.map((r) => r.end)), rowsOf(runs[0]));
  const isModel = !!runs[0].data.problems;
  const complaints = isModel ? complaintsOf(runs[0]) : [];
  runs[0].complaints = complaints.length;
  const stage = runs.some((r) => r.scene) ? new Stage(runs, clock, complaints) : null;
  const curves = new Curves(runs, clock);
  const help = keyHelp();
  const refresh = () => {
    applyTheme();
    stage?.refreshTheme();
    curves.refreshTheme();
  };
  const theme = () => {
    toggleTheme();
    refresh();
  };
  let top = header(runs, document.title, refresh, () => help.showModal());
  const refreshHeader = () => {
    const next = header(runs, document.title, refresh, () => help.showModal());
    top.replaceWith(next);
    top = next;
  };
  document.body.append(
    top,
    element(`main${stage ? "" : ".only-curves"}`, {}, ...(stage ? [stage.root] : []), isModel ? report(runs[0], complaints, (name) => stage.pickName(name)) : modes ?? curves.root),
    ...(isModel ? [] : [new Transport(clock, runs).root]),
    help,
  );
  if (!isModel && !modes) curves.start(firstPanels(runs[0]));
  stage?.resize();
  clock.onChange(() => stage?.draw());
  const shown = new AbortController(); // ends what listens when another mode is shown
  const { signal } = shown;
  listenKeys({ clock, stage, theme, help }, signal);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", refresh, { signal });

  const goTo = () => {
    const t = Number(wishes().get("t"));
    if (wishes().has("t") && Number.isFinite(t)) clock.set(t);
  };
  window.trammel = { clock, stage, curves, runs, complaints, refreshHeader }; // for scripts that drive the page
  for (const key of (wish.get("show") ?? "").split(",").filter(Boolean)) if (stage && key in stage.show && !stage.show[key]) stage.toggle(key);
  if (wish.has("film")) return film(wish.get("film"), stage, clock);
  goTo();
  window.addEventListener("hashchange", goTo, { signal });
  const still = animate(clock, (ms) => stage?.passed(ms));
  stop = () => (still(), shown.abort(), stage?.release());
}

// Lets the clock go on; returns what ends that.
function animate(clock, passed) {
  let last = null;
  let on = true;
  const frame = (now) => {
    if (!on) return;
    if (last !== null) {
      if (!document.hidden) passed(now - last);
      clock.advance(Math.min(0.25, (now - last) / 1000));
    }
    last = clock.playing ? now : null;
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
  return () => (on = false);
}

let stop = null;
start();
