// What is drawn on top of the machine: trails, arrows of reactions, names.
import { worldOf } from "./place.js";
import { axpy, length } from "./vector.js";

export class Overlay {
  constructor(canvas) {
    this.canvas = canvas;
    this.pen = canvas.getContext("2d");
  }

  resize(width, height, ratio) {
    Object.assign(this, { width, height, ratio });
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
  }

  begin(project, theme) {
    this.project = project;
    this.theme = theme;
    this.pen.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    this.pen.clearRect(0, 0, this.width, this.height);
    this.taken = [];
  }

  // The path of a point over all rows, bright up to the present one.
  trail(path, row, colour) {
    const { pen } = this;
    const line = (from, to, alpha, width) => {
      pen.beginPath();
      for (let k = from; k <= to; k++) {
        const [x, y] = this.project([path[3 * k], path[3 * k + 1], path[3 * k + 2]]);
        if (k === from) pen.moveTo(x, y);
        else pen.lineTo(x, y);
      }
      Object.assign(pen, { globalAlpha: alpha, strokeStyle: colour, lineWidth: width, lineJoin: "round" });
      pen.stroke();
      pen.globalAlpha = 1;
    };
    const last = path.length / 3 - 1;
    line(row, last, 0.25, 1);
    line(0, row, 0.9, 1.6);
  }

  arrow(from, vector, colour) {
    const { pen } = this;
    const [xa, ya] = this.project(from);
    const [xb, yb] = this.project(axpy(from, 1, vector));
    const L = Math.hypot(xb - xa, yb - ya);
    if (L < 3) return;
    const [ex, ey] = [(xb - xa) / L, (yb - ya) / L];
    const head = Math.min(10, 0.5 * L);
    pen.beginPath();
    pen.moveTo(xa, ya);
    pen.lineTo(xb - ex * head * 0.8, yb - ey * head * 0.8);
    Object.assign(pen, { strokeStyle: colour, lineWidth: 2.2, lineCap: "butt" });
    pen.stroke();
    pen.beginPath();
    pen.moveTo(xb, yb);
    pen.lineTo(xb - ex * head - ey * head * 0.45, yb - ey * head + ex * head * 0.45);
    pen.lineTo(xb - ex * head + ey * head * 0.45, yb - ey * head - ex * head * 0.45);
    pen.closePath();
    pen.fillStyle = colour;
    pen.fill();
  }

  // A moment: an arrow around the end of its vector, an arc of three quarters.
  moment(at, vector, colour) {
    const { pen } = this;
    const [x, y, depth] = this.project(at);
    const [xb, yb, tip] = this.project(axpy(at, 1, vector));
    const r = Math.max(7, Math.min(26, Math.hypot(xb - x, yb - y)));
    const left = tip >= depth; // it points at the reader: counterclockwise
    const [from, to] = left ? [0.25 * Math.PI, -1.25 * Math.PI] : [0.75 * Math.PI, 2.25 * Math.PI];
    pen.beginPath();
    pen.arc(x, y, r, from, to, left);
    Object.assign(pen, { strokeStyle: colour, lineWidth: 2.2, lineCap: "butt" });
    pen.stroke();
    const [ex, ey] = [x + r * Math.cos(to), y + r * Math.sin(to)];
    const turn = left ? 1 : -1;
    const [tx, ty] = [turn * Math.sin(to), -turn * Math.cos(to)];
    pen.beginPath();
    pen.moveTo(ex + 7 * tx, ey + 7 * ty);
    pen.lineTo(ex - 4 * ty, ey + 4 * tx);
    pen.lineTo(ex + 4 * ty, ey - 4 * tx);
    pen.closePath();
    pen.fillStyle = colour;
    pen.fill();
  }

  // A name beside a point, where no other name is.
  label(at, text, colour, strong) {
    const { pen, theme } = this;
    const [x, y] = this.project(at);
    pen.font = `${strong ? "600 " : ""}12px system-ui, sans-serif`;
    const width = pen.measureText(text).width;
    for (const [dx, dy] of [[9, -9], [9, 17], [-9 - width, -9], [-9 - width, 17], [9, -24], [9, 32]]) {
      const box = [x + dx - 2, y + dy - 12, x + dx + width + 2, y + dy + 4];
      if (box[0] < 0 || box[2] > this.width) continue;
      if (this.taken.some((b) => box[0] < b[2] && box[2] > b[0] && box[1] < b[3] && box[3] > b[1])) continue;
      this.taken.push(box);
      Object.assign(pen, { lineWidth: 4, strokeStyle: theme.paper, lineJoin: "round", globalAlpha: 0.85 });
      pen.strokeText(text, x + dx, y + dy);
      pen.globalAlpha = 1;
      pen.fillStyle = colour;
      pen.fillText(text, x + dx, y + dy);
      return;
    }
  }

  ring(at, radius, colour) {
    const { pen } = this;
    const [x, y] = this.project(at);
    pen.beginPath();
    pen.arc(x, y, radius, 0, 2 * Math.PI);
    Object.assign(pen, { strokeStyle: colour, lineWidth: 2 });
    pen.stroke();
  }
}

const AXES = ["x", "y", "z"];

// The vector whose coordinates are the channels `${name}x`, `${name}y`, `${name}z`; what the result does not have is 0.
const vectorOf = (run, name, row) => AXES.map((x) => run.channel(name + x)?.values[row] ?? 0);
const hasVector = (run, name) => AXES.some((x) => run.channel(name + x));

// At how many places arrows are drawn, and at how many rows the longest is sought.
const PLACES = 200;
const ROWS = 400;

// The forces and moments on the second bodies of joints (group "reaction") or of forces (group "force"), in the world.
// While a run goes on its channels get more rows: nothing but the largest is kept, until `forget`.
export class Loads {
  constructor(run, group, items) {
    this.run = run;
    const [force, moment] = ["f", "m"].map((kind) => (item) => `${group}/${item.name}_${kind}`);
    this.list = items
      .filter((item) => item.bodies && (hasVector(run, force(item)) || hasVector(run, moment(item))))
      .slice(0, PLACES)
      .map((item) => ({ item, force: (row) => vectorOf(run, force(item), row), moment: (row) => vectorOf(run, moment(item), row) }));
  }

  get known() {
    return this.list.length > 0;
  }

  forget() {
    this.found = null;
  }

  // the largest force and the largest moment of all
  get largest() {
    if (!this.found) {
      this.found = { force: 0, moment: 0 };
      const rows = this.run.time.length;
      const stride = Math.max(1, Math.floor(rows / ROWS));
      for (const load of this.list)
        for (let k = 0; k < rows; k += stride)
          for (const kind of ["force", "moment"]) this.found[kind] = Math.max(this.found[kind], length(load[kind](k)) || 0);
    }
    return this.found;
  }
}

// The path of a point over all rows of a run: x, y, z in turn.
export function pathOf(run, at) {
  const path = new Float64Array(3 * run.time.length);
  for (let k = 0; k < run.time.length; k++) {
    const poses = [];
    if (!at.drawn) poses[at.body] = at.body === 0 ? { r: [0, 0, 0], R: [1, 0, 0, 0, 1, 0, 0, 0, 1] } : run.poseOf(at.body, k, k, 0);
    poses.output = (name) => run.outputAt(name, k, k, 0);
    path.set(worldOf(run.scene, poses, at), 3 * k);
  }
  return path;
}

