// One run of the page: its times, channels, and the poses of its bodies.
import { decodeSeries } from "./codec.js";
import { planeAxes, rotationOf } from "./vector.js";

// the group of derivatives: by which parameter, and the group of what is derived
export const SENSITIVITY = /^sensitivity\/(.+)\/([^/]+)$/;

class Channel {
  constructor(data, index) {
    Object.assign(this, { group: data.group, name: data.name, unit: data.unit ?? "", index });
    this.description = data.description ?? "";
    this.id = `${data.group}/${data.name}`;
    const [, parameter] = data.group.match(SENSITIVITY) ?? [];
    this.label = parameter ? `∂${data.name}/∂${parameter}` : data.name;
    this.ofSteps = data.group === "solver";
    this.logarithmic = !!data.series.log;
    this.series = data.series;
  }

  // decoded when it is first wanted
  get values() {
    this.decoded ??= decodeSeries(this.series);
    return this.decoded;
  }
}

// The largest turn between two rows up to which the motion between them is drawn.
const SMOOTH_TURN = 0.35;

export class Run {
  constructor(data, index) {
    this.index = index;
    this.read(data);
  }

  // the data of the run, or more of them while it goes on
  read(data) {
    Object.assign(this, { data, title: data.title || data.path, scene: this.scene ?? data.scene ?? null });
    this.time = decodeSeries(data.time);
    this.steps = decodeSeries(data.steps);
    // a step that an event cut short ends where the next one begins
    for (let k = this.steps.length - 1; k > 0; k--) this.steps[k - 1] = Math.min(this.steps[k - 1], this.steps[k]);
    this.channels = data.channels.map((c, k) => new Channel(c, k));
    this.byId = new Map(this.channels.map((c) => [c.id, c]));
    this.events = data.events ?? [];
    this.start = this.time[0] ?? 0;
    this.end = this.time[this.time.length - 1] ?? 0;
    this.stepEdges = [this.start, ...this.steps]; // step k goes from edge k to edge k + 1
    this.plane = this.scene?.plane ?? null;
    this.poseSize = this.plane ? 3 : 7;
    this.bodies = this.scene ? this.scene.bodies.length : 0;
    this.pose = this.scene ? this.channels.filter((c) => c.group === "body").map((c) => c.values) : [];
  }

  channel(id) {
    return this.byId.get(id);
  }

  // The error of a channel at a row, measured by the companion run: a function of the row, from the
  // channel of errors or, where the page has none, the largest; undefined: not known.
  errorOf(id) {
    const rows = this.byId.get(`error/${id}`)?.values;
    if (rows?.length) return (k) => rows[Math.min(k, rows.length - 1)];
    const largest = this.data.summary?.accuracy?.errors?.[id];
    return largest ? () => largest : undefined;
  }

  // The last row at or before t.
  rowAt(t) {
    const time = this.time;
    let low = 0;
    let high = time.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (time[middle] <= t) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  // The row nearest to t: what is drawn when time stands still.
  nearestRow(t) {
    const k = this.rowAt(t);
    return k + 1 < this.time.length && this.time[k + 1] - t < t - this.time[k] ? k + 1 : k;
  }

  // Where all bodies are at a row, or between it and the next: {r, R} of each.
  posesAt(row, fraction = 0) {
    const poses = [{ r: [0, 0, 0], R: [1, 0, 0, 0, 1, 0, 0, 0, 1] }];
    const next = fraction > 0 ? Math.min(row + 1, this.time.length - 1) : row;
    for (let b = 1; b < this.bodies; b++) poses.push(this.poseOf(b, row, next, fraction));
    poses.output = (name) => this.outputAt(name, row, next, fraction);
    return poses;
  }

  // an output there, NaN where the result has none of that name
  outputAt(name, row, next, fraction) {
    const values = this.byId.get(`output/${name}`)?.values;
    return values ? values[row] + (fraction > 0 ? fraction * (values[next] - values[row]) : 0) : NaN;
  }

  poseOf(b, row, next, fraction) {
    const at = this.poseSize * (b - 1);
    const value = (k, i) => this.pose[at + k][i];
    if (this.plane) {
      if (Math.abs(value(2, next) - value(2, row)) > SMOOTH_TURN) fraction = 0;
      const mixed = (k) => value(k, row) + fraction * (value(k, next) - value(k, row));
      return planePose(this.plane, mixed(0), mixed(1), mixed(2), this.scene.bodies[b].center);
    }
    let cosine = 0;
    for (let k = 3; k < 7; k++) cosine += value(k, row) * value(k, next);
    if (Math.abs(cosine) < Math.cos(SMOOTH_TURN / 2)) fraction = 0;
    const sign = cosine < 0 ? -1 : 1;
    const mixed = (k, s) => (1 - fraction) * value(k, row) + fraction * s * value(k, next);
    return {
      r: [mixed(0, 1), mixed(1, 1), mixed(2, 1)],
      R: rotationOf(mixed(3, sign), mixed(4, sign), mixed(5, sign), mixed(6, sign)),
    };
  }
}

// The pose of a body of a plane model: two coordinates and an angle about the normal.
function planePose(plane, p, q, angle, center) {
  const axes = planeAxes(plane);
  const r = [0, 0, 0];
  r[axes[0]] = p;
  r[axes[1]] = q;
  r[axes[2]] = center[axes[2]];
  const n = [0, 0, 0];
  n[axes[2]] = Math.sin(angle / 2);
  return { r, R: rotationOf(Math.cos(angle / 2), ...n) };
}
