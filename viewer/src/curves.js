// Panels of curves: any channels of the runs over time, linked with the clock and with each other.
import uPlot from "uplot";
import { Picker } from "./picker.js";
import { button, element, icons } from "./dom.js";
import { decades, format, tickTexts } from "./numbers.js";
import { SENSITIVITY } from "./run.js";
import { colours } from "./theme.js";

const HEIGHT = 190;
const DASHES = [[], [7, 4], [2, 3], [9, 3, 2, 3], [4, 4], [1, 2], [12, 4], [3, 6]];

const numbers = (u, ticks, axis, space, step) => tickTexts(ticks, step);
// those of the time axis: the last one has the unit
const seconds = (u, ticks, axis, space, step) => tickTexts(ticks, step).map((text, k, all) => (k === all.length - 1 ? `${text} s` : text));
const gaps = (values, logarithmic) => Array.from(values, (x) => (Number.isFinite(x) && (!logarithmic || x > 0) ? x : null));

// One panel: the channels `ids` of every run that has them.
class Panel {
  constructor(curves, { title, ids, logarithmic = false, marks = false }) {
    Object.assign(this, { curves, title, ids: [...ids], logarithmic, marks });
    this.head = element("div.legend");
    this.body = element("div.plot");
    this.root = element("section.panel", { "aria-label": title || "Curves" }, this.head, this.body);
    this.observer = new ResizeObserver(() => this.resize());
    this.observer.observe(this.body);
  }

  // the curves: [{run, channel, colour, dash, scale}]
  lines() {
    const { runs } = this.curves;
    const theme = this.curves.theme;
    const units = [];
    const out = [];
    this.ids.forEach((id, k) => {
      for (const run of runs) {
        const channel = run.channel(id);
        if (!channel) continue;
        if (!units.includes(channel.unit)) units.push(channel.unit);
        out.push({ id, run, channel, colour: theme.series[k % theme.series.length], dash: DASHES[run.index % DASHES.length], scale: channel.unit === units[0] ? "y" : "y2" });
      }
    });
    this.units = units;
    return out;
  }

  build() {
    this.plot?.destroy();
    this.now = null;
    this.drawn = this.lines();
    const tables = this.drawn.map(({ run, channel }) => {
      const values = gaps(channel.values, this.logarithmic && channel.unit === this.units[0]);
      return channel.ofSteps ? [run.stepEdges, [values[0] ?? null, ...values]] : [run.time, values];
    });
    const data = tables.length === 1 ? tables[0] : tables.length ? joined(tables) : [[0, 1]];
    this.plot = new uPlot(this.options(), data, this.body);
    this.now = element("div.now");
    this.plot.over.append(this.now);
    this.listen();
    this.legend();
    this.follow();
  }

  options() {
    const theme = this.curves.theme;
    const axis = (more) => ({ stroke: theme.muted, grid: { stroke: theme.line, width: 1 }, ticks: { stroke: theme.line, width: 1 }, font: "11px system-ui, sans-serif", ...more });
    const { clock } = this.curves;
    const range = this.curves.range ?? [clock.start, clock.end > clock.start ? clock.end : clock.start + 1]; // as it is now: this plot is drawn a little later
    const label = (unit) => (unit && unit !== "-" && unit !== "1" ? unit : null);
    const axes = [axis({ size: 28, values: seconds, space: spaceOf }), axis({ scale: "y", size: widthOf(58), label: label(this.units[0]), labelSize: 18, labelFont: "11px system-ui, sans-serif", values: numbers, ...(this.logarithmic ? { splits: (u, axis, low, high) => decades(low, high), filter: (u, splits) => splits } : {}) })];
    const right = this.units.length > 1;
    if (right) axes.push(axis({ scale: "y2", side: 1, size: widthOf(46), grid: { show: false }, label: label(this.units[1]), labelSize: 18, labelFont: "11px system-ui, sans-serif", values: numbers, ...(this.marks ? { incrs: [1, 2, 5, 10] } : {}) })); // orders are whole numbers
    return {
      width: Math.max(120, this.body.clientWidth),
      height: HEIGHT,
      legend: { show: false },
      padding: [8, right ? 0 : 12, 0, 0],
      cursor: { sync: { key: "curves" }, drag: { x: true, y: false, dist: 6 }, points: { size: 6 }, focus: { prox: 20 } },
      scales: { x: { time: false, range: () => range }, y: { distr: this.logarithmic ? 3 : 1, range: padded(this.logarithmic) }, y2: { range: padded(false) } },
      axes,
      series: [{}, ...this.drawn.map((l) => ({ label: l.channel.name, stroke: l.colour, width: 1.6, pxAlign: 0, dash: l.dash, scale: l.scale, spanGaps: this.drawn.length > 1, points: { show: l.run.time.length < 2 }, paths: l.channel.ofSteps ? uPlot.paths.stepped({ align: -1 }) : undefined }))],
      hooks: {
        setSelect: [(u) => this.curves.zoom(u.select.width > 5 ? [u.posToVal(u.select.left, "x"), u.posToVal(u.select.left + u.select.width, "x")] : null, u)],
        setCursor: [(u) => this.hovered(u.cursor.idx)],
        drawClear: [(u) => this.drawBands(u)],
        draw: [(u) => this.marks && this.drawMarks(u), () => this.follow()],
      },
    };
  }

  // the error of a channel that the companion run has found, as a band around the curve
  drawBands(u) {
    const { ctx } = u;
    ctx.save();
    ctx.beginPath();
    ctx.rect(u.bbox.left, u.bbox.top, u.bbox.width, u.bbox.height);
    ctx.clip();
    for (const l of this.drawn) {
      const error = l.run.errorOf(l.id);
      if (!error || this.logarithmic) continue;
      const { values } = l.channel;
      const times = l.run.time;
      const stride = Math.max(1, Math.floor(values.length / 3000));
      ctx.beginPath();
      const to = (k, side) => ctx.lineTo(u.valToPos(times[k], "x", true), u.valToPos(values[k] + side * (error(k) || 0), l.scale, true));
      for (let k = 0; k < values.length; k += stride) to(k, 1);
      for (let k = values.length - 1; k >= 0; k -= stride) to(k, -1);
      ctx.globalAlpha = 0.25;
      ctx.fillStyle = l.colour;
      ctx.fill();
    }
    ctx.restore();
  }

  // rejected attempts of the solver: by the error test, and by the Newton iteration
  drawMarks(u) {
    const theme = this.curves.theme;
    const { ctx } = u;
    for (const run of this.curves.runs)
      for (const [id, colour] of [["solver/rejected_error", theme.series[1]], ["solver/rejected_newton", theme.bad]]) {
        const values = run.channel(id)?.values ?? [];
        ctx.fillStyle = colour;
        for (let k = 0; k < values.length; k++) {
          if (!(values[k] > 0)) continue;
          const x = u.valToPos(run.steps[k], "x", true);
          if (x >= u.bbox.left && x <= u.bbox.left + u.bbox.width) ctx.fillRect(x - 1, u.bbox.top, 2, 7 * devicePixelRatio);
        }
      }
  }

  listen() {
    const { over } = this.plot;
    let down = 0;
    over.addEventListener("mousedown", (e) => (down = e.clientX));
    over.addEventListener("click", (e) => {
      if (Math.abs(e.clientX - down) < 6) this.curves.clock.set(this.plot.posToVal(e.clientX - over.getBoundingClientRect().left, "x"));
    });
    over.addEventListener("dblclick", () => this.curves.zoom(null));
  }

  legend() {
    this.values = [];
    const several = this.curves.runs.length > 1;
    const entries = this.drawn.map((l) => {
      const value = element("b");
      this.values.push(value);
      const name = several ? `${l.channel.label} (${l.run.label})` : l.channel.label;
      const dash = `border-top: 3px ${l.run.index ? "dashed" : "solid"} ${l.colour}`;
      return element("button.entry", { title: `${l.id}${l.channel.description ? `: ${l.channel.description}` : ""} – click to remove`, onclick: () => this.remove(l.id) }, element("i", { style: dash }), `${name} `, value);
    });
    this.head.replaceChildren(
      element("div.entries", {}, ...(this.title ? [element("strong", {}, this.title)] : []), ...entries),
      button("Add a curve", icons.add, () => this.curves.picker.open(this)),
      button("Close this panel", icons.close, () => this.curves.close(this)),
    );
  }

  remove(id) {
    this.ids = this.ids.filter((x) => x !== id);
    if (this.ids.length) this.build();
    else this.curves.close(this);
  }

  set(ids, first) {
    this.ids = ids;
    this.title = "";
    this.logarithmic = ids.length > 0 && ids.every((id) => first(id)?.logarithmic);
    this.marks = ids.includes("solver/h");
    this.build();
  }

  hovered(index) {
    this.hover = index;
    this.showValues();
  }

  // values at the pointer, or at the time of the clock
  showValues() {
    if (!this.values) return;
    const t = this.hover === null || this.hover === undefined ? this.curves.clock.t : this.plot.data[0][this.hover];
    this.drawn.forEach((l, k) => {
      const error = l.channel.ofSteps ? undefined : l.run.errorOf(l.id)?.(l.run.nearestRow(t));
      this.values[k].textContent = format(valueAt(l, t)) + (error > 0 ? ` ± ${format(error, 2)}` : "");
    });
  }

  follow() {
    if (!this.plot || !this.now) return;
    const x = this.plot.valToPos(this.curves.clock.t, "x");
    this.now.style.transform = `translateX(${x}px)`;
    this.now.hidden = !(x >= 0 && x <= this.plot.over.clientWidth);
    this.showValues();
  }

  resize() {
    const width = this.body.clientWidth;
    if (!this.plot || !width || Math.abs(width - this.plot.width) < 1) return;
    this.plot.setSize({ width, height: HEIGHT });
    this.follow();
  }

  destroy() {
    this.observer.disconnect();
    this.plot?.destroy();
    this.root.remove();
  }
}

// Several tables over one axis. uPlot joins arrays; equal axes need no joining.
function joined(tables) {
  if (tables.every((t) => t[0] === tables[0][0])) return [tables[0][0], ...tables.map((t) => t[1])];
  return uPlot.join(tables.map((t) => [Array.from(t[0]), t[1]]));
}

// The pixels beside an axis: as many as its longest number needs, with its tick, and not less than `least`.
function widthOf(least) {
  return (u, values, index, cycle) => {
    const axis = u.axes[index];
    if (cycle > 1) return axis._size; // found before: else two axes might chase each other
    u.ctx.font = axis.font[0];
    const widest = Math.max(0, ...(values ?? []).map((text) => u.ctx.measureText(text).width));
    return Math.max(least, widest / devicePixelRatio + axis.ticks.size + axis.gap + 2);
  };
}

// The pixels from number to number of the time axis: as wide as the numbers, some 7 each of their digits.
function spaceOf(u, axis, low, high) {
  const digits = Math.log10(Math.max(Math.abs(low), Math.abs(high)) / (high - low || 1));
  return Math.max(50, 7 * Math.min(15, digits + 5));
}

// A range with a margin; a constant curve lies in the middle.
function padded(logarithmic) {
  return (u, low, high) => {
    if (low === null || high === null) return logarithmic ? [1e-16, 1] : [-1, 1];
    if (logarithmic) return uPlot.rangeLog(low, high === low ? 10 * high : high, 10, true);
    const span = high - low || Math.abs(high) || 1;
    return [low - 0.06 * span, high + 0.06 * span];
  };
}

function valueAt({ run, channel }, t) {
  if (!channel.ofSteps) return channel.values[run.nearestRow(t)];
  let k = 0;
  let high = run.steps.length - 1;
  while (k < high) {
    const middle = (k + high) >> 1;
    if (run.steps[middle] < t) k = middle + 1;
    else high = middle;
  }
  return channel.values[k];
}

export class Curves {
  constructor(runs, clock) {
    Object.assign(this, { runs, clock, panels: [], range: null, theme: colours() });
    this.picker = new Picker(runs);
    this.list = element("div.panels");
    this.root = element("section.curves", { "aria-label": "Curves" }, this.list, element("button.more", { onclick: () => this.more() }, "+ panel"), this.picker.root);
    clock.onChange(() => this.panels.forEach((p) => p.follow()));
  }

  start(wanted) {
    for (const panel of wanted) this.add(panel);
  }

  add(panel) {
    const p = new Panel(this, panel);
    this.panels.push(p);
    this.list.append(p.root);
    p.build();
    return p;
  }

  more() {
    const p = this.add({ ids: [] });
    this.picker.open(p);
  }

  close(panel) {
    this.panels = this.panels.filter((p) => p !== panel);
    panel.destroy();
  }

  // all panels show the same time; null: all of it
  zoom(range, from) {
    this.range = range;
    if (from && range) from.setSelect({ left: 0, width: 0, top: 0, height: 0 }, false);
    if (from && !range) return;
    this.panels.forEach((p) => p.build());
  }

  // the runs have more rows
  refresh() {
    if (!this.panels.length) this.start(firstPanels(this.runs[0]));
    this.panels.forEach((p) => p.build());
  }

  refreshTheme() {
    this.theme = colours();
    this.panels.forEach((p) => p.build());
  }
}

// The least and the largest value of a channel.
function spanOf({ values }) {
  let [low, high] = [Infinity, -Infinity];
  for (const x of values) if (Number.isFinite(x)) [low, high] = [Math.min(low, x), Math.max(high, x)];
  return { low, high };
}

// Channels of one unit in as few panels as show each of them move: none has less than a twelfth of the height.
const SEEN = 1 / 12;
function byHeight(channels) {
  const panels = [];
  for (const channel of channels) {
    const own = spanOf(channel);
    const fits = (panel) => {
      const all = [...panel.spans, own];
      const height = Math.max(...all.map((s) => s.high)) - Math.min(...all.map((s) => s.low));
      return panel.ids.length < 6 && all.every((s) => s.high === s.low || s.high - s.low >= SEEN * height);
    };
    let panel = panels.find(fits);
    if (!panel) panels.push((panel = { ids: [], spans: [] }));
    panel.ids.push(channel.id);
    panel.spans.push(own);
  }
  return panels.map(({ ids }) => ({ ids }));
}

// Derivatives of the outputs, or of the positions where there are none: panels for each parameter, and in them
// for each unit of what is derived. The derivatives themselves have no unit that is known.
function sensitivityPanels(run, channelsOf) {
  const groups = [...new Set(run.channels.map((c) => c.group))].filter((g) => SENSITIVITY.test(g));
  const of = (kind) => groups.filter((g) => g.endsWith(`/${kind}`));
  const wanted = of("output").length ? of("output") : of("position");
  return wanted.flatMap((group) => {
    const [, parameter, kind] = group.match(SENSITIVITY);
    const unitOf = (c) => run.channel(`${kind}/${c.name}`)?.unit;
    const channels = channelsOf(group);
    const units = [...new Set(channels.map(unitOf))];
    const panels = units.flatMap((unit) => byHeight(channels.filter((c) => unitOf(c) === unit)));
    return panels.map((p) => ({ ...p, title: `Sensitivity to ${parameter}` }));
  });
}

// The panels a page begins with: what the model's author asked for first.
export function firstPanels(run) {
  const panels = [];
  const ids = (group) => run.channels.filter((c) => c.group === group && c.values.length && !c.values.every(Number.isNaN));
  const byUnit = (channels, limit) => {
    const units = [...new Set(channels.map((c) => c.unit))];
    panels.push(...units.flatMap((unit) => byHeight(channels.filter((c) => c.unit === unit))).slice(0, limit));
  };
  const drawn = new Set((run.scene?.draw ?? []).flatMap((d) => [...d.points.flat(), d.radius])); // they are in the picture
  const outputs = ids("output").filter((c) => !drawn.has(c.name));
  if (outputs.length) byUnit(outputs, 4);
  else {
    byUnit(ids("position"), 2);
    byUnit(ids("state"), 1);
  }
  panels.push(...sensitivityPanels(run, ids).slice(0, 6));
  const energy = ids("energy").map((c) => c.id);
  if (energy.length) panels.push({ title: "Energy", ids: energy });
  const violation = ids("constraint").filter((c) => c.values.some((x) => x > 0)).map((c) => c.id);
  if (violation.length) panels.push({ title: "Constraint violation", ids: violation, logarithmic: true });
  if (run.channel("solver/h")) panels.push({ title: "Solver", ids: ["solver/h", "solver/order"], logarithmic: true, marks: true });
  return panels;
}
