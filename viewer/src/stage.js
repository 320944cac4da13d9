// The machine on the page: renderer, overlay, the buttons above them, and the pointer.
import { movedBodies } from "./complaints.js";
import { Detail } from "./detail.js";
import { button, element, icons } from "./dom.js";
import { Flat } from "./flat.js";
import { Loads, Overlay, pathOf } from "./overlay.js";
import { boundsOf, namedPoints, outerPoints, partsOf, sizeOf, upOf } from "./parts.js";
import { resolve, worldOf } from "./place.js";
import { Space, hasWebGL } from "./space.js";
import { colours } from "./theme.js";
import { axpy, distance, dot, length, scale, sub, turn } from "./vector.js";

const TOGGLES = [
  ["names", "Names", "n"],
  ["reactions", "Forces", "r"],
  ["trails", "Trails", "t"],
  ["ghost", "Start", "g"],
  ["joints", "Joints", "j"],
  ["follow", "Follow", "o"],
];

export class Stage {
  constructor(runs, clock, complaints = []) {
    Object.assign(this, { runs: runs.filter((r) => r.scene), clock });
    this.run = this.runs[0];
    this.scene = this.run.scene;
    this.machines = this.runs.map((run) => ({ run, parts: partsOf(run.scene) }));
    this.points = namedPoints(this.scene);
    this.size = this.run.bodies > 1 ? sizeOf(this.scene) : drawnSize(this.run, this.machines[0].parts);
    this.reactions = new Loads(this.run, "reaction", this.scene.joints.filter((j) => j.type !== "free"));
    this.loads = new Loads(this.run, "force", this.scene.forces);
    this.detail = new Detail(this.machines.reduce((sum, m) => sum + m.parts.length, 0));
    this.show = { names: false, reactions: false, trails: false, ghost: false, joints: true, follow: false };
    this.followed = new Map(); // named point -> path
    this.isModel = !!this.run.data.problems;
    this.alarm(complaints);
    this.build();
  }

  // colours what complaints are about
  alarm(complaints) {
    const items = complaints.flatMap((c) => c.items);
    const indices = (kind) => new Set(items.filter((i) => i.kind === kind).map((i) => i.index));
    const { joints, forces } = this.scene;
    const bodies = indices("body");
    const links = new Set([...[...indices("joint")].map((k) => joints[k]), ...[...indices("force")].map((k) => forces[k])]);
    for (const part of this.machines[0].parts) part.alarm = part.layer === "body" ? bodies.has(part.body) : links.has(part.joint ?? part.force);
    this.alarmed = new Set(items.map((i) => i.name));
    if (this.isModel) Object.assign(this.show, { names: this.points.length < 80, ghost: movedBodies(this.run).length > 0 });
  }

  build() {
    this.canvas = element("canvas.machine", { tabindex: 0, role: "img", "aria-label": `${this.run.title}, in motion` });
    this.overlay = new Overlay(element("canvas.overlay"));
    this.tip = element("div.tip", { hidden: true });
    this.thinned = element("div.hint.thinned", { hidden: true });
    const up = upOf(this.scene);
    const webgl = !this.scene.plane && hasWebGL();
    this.renderer = webgl ? new Space(this.canvas, up, this.size, this.machines.reduce((sum, m) => sum + m.parts.length, 0)) : new Flat(this.canvas, up, this.scene.plane);
    this.view = element("div.view", {}, this.canvas, this.overlay.canvas, this.tip, this.thinned);
    this.root = element("section.stage", { "aria-label": "Machine" }, this.view, this.toolbar());
    if (!webgl && !this.scene.plane) this.view.append(element("div.hint", {}, "drawn without WebGL"));
    if (webgl) this.renderer.controls.addEventListener("change", () => this.draw());
    this.listen(webgl);
    new ResizeObserver(() => this.resize()).observe(this.view);
  }

  // a browser has a dozen drawings with WebGL at a time
  release() {
    this.renderer.renderer?.dispose();
    this.renderer.renderer?.forceContextLoss();
  }

  toolbar() {
    this.toggles = {};
    const still = ["trails", "follow"]; // nothing moves
    const empty = { reactions: !this.reactions.known && !this.loads.known, joints: !this.scene.joints.length, ghost: this.isModel && this.scene.bodies.length < 2 };
    const wanted = TOGGLES.filter(([key]) => !empty[key] && !(this.isModel && still.includes(key)));
    const boxes = wanted.map(([key, word, letter]) => {
      const label = key === "ghost" && this.isModel ? "Described" : word;
      const b = element("button.toggle", { "aria-pressed": String(this.show[key]), title: `${label} (${letter})`, onclick: () => this.toggle(key) }, label);
      this.toggles[key] = b;
      return b;
    });
    const views = this.scene.plane
      ? []
      : [["x", [1, 0, 0]], ["y", [0, -1, 0]], ["z", [0, 0, 1]]].map(([name, from]) => element("button.toggle", { title: `view along ${name}`, onclick: () => this.look(from) }, name));
    return element("div.toolbar", {}, ...boxes, element("span.gap"), ...views, button("Fit", icons.fit, () => this.fit(), "f"));
  }

  toggle(key) {
    this.show[key] = !this.show[key];
    this.toggles[key]?.setAttribute("aria-pressed", String(this.show[key]));
    if (key === "follow" && this.main) this.centre = this.middleAt(this.main.poses);
    this.draw();
  }

  look(from) {
    this.renderer.look(from);
    this.draw();
  }

  // ---- size ----

  resize() {
    const { width, height } = this.view.getBoundingClientRect();
    if (width < 2 || height < 2) return;
    const ratio = this.still ? 1 : Math.min(window.devicePixelRatio || 1, 2);
    this.renderer.resize(width, height, ratio);
    this.overlay.resize(width, height, ratio);
    if (!this.fitted) this.fit();
    this.draw();
  }

  // All points of the machine at some rows of the run.
  swept() {
    return this.machines.flatMap(({ run, parts }) => placesOf(run, parts, run.time.length)).filter((p) => p.every(Number.isFinite));
  }

  // Guides as long as the way along them, planes as wide as the motion.
  stretch(sweep) {
    for (const { run, parts } of this.machines)
      for (const part of parts) {
        if (part.kind === "rail") stretchRail(run, part, this.size);
        if (part.kind === "track") layTrack(run, part);
        if (part.kind === "plane" && part.a.body === 0) stretchPlane(part, sweep, this.size);
      }
  }

  // The run has more rows: the picture stays as the reader turned it, or shows all again.
  grow() {
    this.sweep = null;
    for (const loads of [this.reactions, this.loads]) loads.forget();
    for (const { parts } of this.machines) for (const part of parts) delete part.largest;
    if (!this.touched) this.fit();
  }

  // Shows the whole way of the machine, or, where that is much longer than the machine, the machine.
  fit() {
    if (!this.sweep) {
      this.sweep = this.swept();
      if (this.isModel) this.sweep.push(...this.machines[0].parts.flatMap(outerPoints).map((at) => worldOf(this.scene, referencePoses(this.scene), at)));
      const { low, high } = boundsOf(this.sweep);
      this.stretch(this.sweep);
      this.show.follow = distance(low, high) > 4 * this.size && this.run.time.length > 1;
      this.toggles.follow?.setAttribute("aria-pressed", String(this.show.follow));
    }
    this.fitted = true;
    if (!this.sweep.length) return;
    const { run, parts } = this.machines[0];
    const [row] = this.placeOf(run);
    this.centre = this.middleAt(run.posesAt(row));
    this.renderer.floor = this.floorOf(parts);
    this.renderer.roams = this.show.follow;
    this.renderer.fit(this.show.follow ? placesOf(run, parts, 1, row) : this.sweep, this.sweep);
    this.draw();
  }

  // the height of the ground that the machine rolls or lies on, below its rails; undefined: there is none
  floorOf(parts) {
    const up = upOf(this.scene);
    const isLevel = (p) => (p.kind === "plane" && p.a.body === 0 && Math.abs(dot(p.normal, up)) > 0.999) || p.kind === "track";
    const ground = parts.find(isLevel);
    return ground && dot(ground.a.p, up.map(Math.abs)) - (ground.kind === "track" ? ground.r / 3 : 0) * Math.sign(up[0] + up[1] + up[2]);
  }

  // the middle of all bodies
  middleAt(poses) {
    const sum = poses.slice(1).reduce((s, { r }) => axpy(s, 1, r), [0, 0, 0]);
    return scale(1 / Math.max(1, poses.length - 1), sum);
  }

  // moves along with the machine
  followMachine(poses) {
    const now = this.middleAt(poses);
    if (this.centre && now.every(Number.isFinite)) this.renderer.shift(sub(now, this.centre));
    this.centre = now;
  }

  // ---- drawing ----

  refreshTheme() {
    this.theme = colours();
    this.draw();
  }

  // row and fraction of a run at the time of the clock; rows alone while it stands still
  placeOf(run) {
    const t = this.clock.t;
    if (!this.clock.playing) return [run.nearestRow(t), 0];
    const row = run.rowAt(t);
    const next = run.time[row + 1];
    return [row, next > run.time[row] ? Math.min(1, (t - run.time[row]) / (next - run.time[row])) : 0];
  }

  // ms since the picture before, while it plays
  passed(ms) {
    if (this.detail.passed(ms)) this.showDetail();
  }

  showDetail() {
    this.thinned.textContent = this.detail.text;
    this.thinned.hidden = !this.detail.text;
  }

  layers() {
    if (!this.clock.playing && this.detail.level > 0) {
      this.detail.reset();
      this.showDetail();
    }
    const hidden = (part) => (part.layer === "joint" && !this.show.joints && part.kind !== "wheel") || this.detail.hides(part);
    const layers = this.machines.map(({ run, parts }, k) => {
      const [row, fraction] = this.placeOf(run);
      return { scene: run.scene, parts, poses: run.posesAt(row, fraction), size: this.size, row, run, hidden, tint: k ? this.theme.series[(2 * k + 3) % 8] : null, ghost: k > 0, simple: this.detail.level > 0, momentScale: (part) => this.momentScale(run, part) };
    });
    if (this.show.ghost) layers.push({ ...layers[0], poses: this.isModel ? referencePoses(this.scene) : this.run.posesAt(0), ghost: true, hidden: (p) => p.layer !== "body" });
    return layers;
  }

  draw() {
    if (!this.renderer.canvas.width || !this.fitted || this.drawing) return;
    this.drawing = true; // moving the camera asks for a drawing
    this.theme ??= colours();
    const layers = this.layers();
    this.main = layers[0];
    if (this.show.follow) this.followMachine(layers[0].poses);
    this.renderer.draw(layers, this.theme);
    this.drawOverlay(layers[0]);
    this.drawing = false;
  }

  drawOverlay({ scene, poses, row }) {
    const { overlay, theme } = this;
    overlay.begin((p) => this.renderer.project(p), theme);
    const colourOf = (body) => theme.series[(body - 1 + 8) % 8];
    const trails = this.show.trails ? this.trailed() : [...this.followed.keys()];
    for (const p of trails) overlay.trail(this.pathFor(p), row, colourOf(p.at.body));
    if (this.show.reactions) {
      this.drawReactions(scene, poses, row);
      this.drawLoads(scene, poses, row);
    }
    for (const p of this.points) {
      if (p.kind === "end") continue;
      const alarmed = this.alarmed.has(p.name);
      if (!alarmed && !this.show.names && this.picked !== p.name) continue;
      const at = this.middleOf(p, scene, poses);
      if (alarmed || this.picked === p.name) overlay.ring(at, this.picked === p.name ? 16 : 11, theme.bad);
      overlay.label(at, p.name, alarmed ? theme.bad : ["body", "drawn"].includes(p.kind) ? colourOf(p.at.body) : theme.ink, p.kind === "body");
    }
  }

  // marks what has this name; null: nothing
  pickName(name) {
    this.picked = name;
    this.draw();
  }

  // where a named point is now
  worldOf(p) {
    return worldOf(this.main.scene, this.main.poses, p.at);
  }

  middleOf(p, scene, poses) {
    const a = worldOf(scene, poses, p.at);
    if (!p.from) return a;
    const b = worldOf(scene, poses, p.from);
    return [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2, (a[2] + b[2]) / 2];
  }

  // which points leave trails: centres of bodies, what is drawn, and points that were picked
  trailed() {
    const some = this.points.filter((p) => ["body", "drawn"].includes(p.kind)).slice(0, 40);
    return [...new Set([...some, ...this.followed.keys()])];
  }

  pathFor(p) {
    p.path ??= pathOf(this.run, p.at);
    return p.path;
  }

  // forces of contacts, bushings, tyres and the like on their second bodies, and their moments
  drawLoads(scene, poses, row) {
    const { loads, overlay, theme } = this;
    const { force: largest, moment: turning } = loads.largest;
    const both = Math.max(largest, this.reactions.largest.force);
    for (const { item, force, moment } of loads.list) {
      const at = worldOf(scene, poses, { body: item.bodies[1], p: item.to });
      const [F, M] = [force(row), moment(row)];
      if (largest > 0 && length(F) > 1e-6 * largest) overlay.arrow(at, scale((0.22 * this.size) / both, F), theme.spring);
      if (turning > 0 && length(M) > 0.02 * turning) overlay.moment(at, scale((0.1 * this.size) / turning, M), theme.spring);
    }
  }

  // moments of the joints, as long as they are not roundoff of the forces
  drawReactions(scene, poses, row) {
    const { overlay, theme } = this;
    const largest = this.reactions.largest.force;
    const unit = (0.22 * this.size) / largest;
    for (const { item: j, force, moment } of largest > 0 ? this.reactions.list : []) {
      const at = worldOf(scene, poses, { body: j.bodies[1], p: j.second ? j.second.at : j.at });
      overlay.arrow(at, scale(unit, force(row)), theme.arrow);
      const M = moment(row);
      if (length(M) > 0.02 * this.size * largest) overlay.moment(at, scale(unit / this.size, M), theme.arrow);
    }
  }

  // the largest bending moment of a beam, with all its pieces, over the run, for its colours
  momentScale(run, part) {
    if (part.largest === undefined) {
      const { parts } = this.machines.find((m) => m.run === run);
      const pieces = part.of === undefined ? [part] : parts.filter((p) => p.of === part.of);
      const rows = run.time.length;
      let largest = 0;
      for (let k = 0; k < rows; k += Math.max(1, Math.floor(rows / 60))) {
        const poses = run.posesAt(k);
        for (const piece of pieces) for (const m of resolve(piece, run.scene, poses).moment) largest = Math.max(largest, Math.abs(m));
      }
      for (const piece of pieces) piece.largest = largest;
    }
    return part.largest;
  }

  // ---- pointer ----

  listen(webgl) {
    let last = null;
    let moved = 0;
    const fingers = new Map();
    for (const act of ["pointerdown", "wheel"]) this.canvas.addEventListener(act, () => (this.touched = true), { passive: true });
    this.canvas.addEventListener("pointerdown", (e) => {
      fingers.set(e.pointerId, [e.clientX, e.clientY]);
      last = [e.clientX, e.clientY];
      moved = 0;
      if (!webgl) this.canvas.setPointerCapture(e.pointerId);
    });
    this.canvas.addEventListener("pointermove", (e) => {
      if (!fingers.has(e.pointerId)) return this.hover(e);
      const before = [...fingers.values()];
      fingers.set(e.pointerId, [e.clientX, e.clientY]);
      moved += Math.abs(e.clientX - last[0]) + Math.abs(e.clientY - last[1]);
      if (!webgl) this.dragged(e, last, before, [...fingers.values()]);
      last = [e.clientX, e.clientY];
    });
    const up = (e) => {
      fingers.delete(e.pointerId);
      if (e.type === "pointerup" && moved < 5) this.click(e);
    };
    this.canvas.addEventListener("pointerup", up);
    this.canvas.addEventListener("pointercancel", up);
    this.canvas.addEventListener("pointerleave", () => (this.tip.hidden = true));
    if (!webgl)
      this.canvas.addEventListener(
        "wheel",
        (e) => {
          e.preventDefault();
          const { left, top } = this.canvas.getBoundingClientRect();
          this.renderer.zoom(Math.exp(-e.deltaY * 0.0012), e.clientX - left, e.clientY - top);
          this.draw();
        },
        { passive: false },
      );
  }

  // one finger or button turns or shifts, two fingers zoom
  dragged(e, last, before, now) {
    if (now.length === 2) {
      const spread = (f) => Math.hypot(f[0][0] - f[1][0], f[0][1] - f[1][1]) || 1;
      const { left, top } = this.canvas.getBoundingClientRect();
      this.renderer.zoom(spread(now) / spread(before), (now[0][0] + now[1][0]) / 2 - left, (now[0][1] + now[1][1]) / 2 - top);
    } else if (e.shiftKey || e.buttons & 6) this.renderer.pan(e.clientX - last[0], e.clientY - last[1]);
    else this.renderer.drag(e.clientX - last[0], e.clientY - last[1]);
    this.draw();
  }

  // the named point under the pointer
  pick(e) {
    if (!this.main) return null;
    const { left, top } = this.canvas.getBoundingClientRect();
    const [x, y] = [e.clientX - left, e.clientY - top];
    let best = null;
    let distance = 14;
    for (const p of this.points) {
      const [px, py] = this.renderer.project(this.middleOf(p, this.main.scene, this.main.poses));
      const d = Math.hypot(px - x, py - y);
      if (d < distance) [best, distance] = [p, d];
    }
    return best;
  }

  hover(e) {
    const p = e.pointerType === "touch" ? null : this.pick(e);
    this.tip.hidden = !p;
    if (!p) return;
    const { left, top } = this.view.getBoundingClientRect();
    this.tip.textContent = p.joint ? `${p.name}: ${p.joint.type}${p.joint.cut ? ", cut" : ""}` : p.name;
    this.tip.style.transform = `translate(${e.clientX - left + 14}px, ${e.clientY - top + 10}px)`;
  }

  // a click on a point follows it
  click(e) {
    const p = this.pick(e);
    if (!p) return;
    if (this.followed.has(p)) this.followed.delete(p);
    else this.followed.set(p, true);
    this.draw();
  }
}

// Where the file describes the bodies.
function referencePoses(scene) {
  return scene.bodies.map((body) => ({ r: body.center, R: [1, 0, 0, 0, 1, 0, 0, 0, 1] }));
}

// The outer points of a machine at `count` rows of the run, or at one.
function placesOf(run, parts, count, row = 0) {
  const points = parts.flatMap(outerPoints);
  for (const p of namedPoints(run.scene)) points.push(p.at);
  const few = points.length > 3000 ? points.filter((_, k) => k % Math.ceil(points.length / 3000) === 0) : points;
  const rows = count === 1 ? 1 : Math.min(count, few.length > 500 ? 8 : 60);
  const out = [];
  for (let k = 0; k < rows; k++) {
    const poses = run.posesAt(rows < 2 ? row : Math.round((k * (count - 1)) / (rows - 1)));
    for (const p of few) out.push(worldOf(run.scene, poses, p));
    out.push(...drawnPlaces(run, parts, rows < 2 ? row : Math.round((k * (count - 1)) / (rows - 1))));
  }
  return out;
}

// The places of what the model draws itself, at a row.
function drawnPlaces(run, parts, row) {
  const poses = run.posesAt(row);
  return parts.filter((p) => p.names).flatMap((part) => {
    const { points, r } = resolve(part, run.scene, poses);
    return r ? points.flatMap((p) => [0, 1, 2].flatMap((k) => [1, -1].map((s) => p.map((x, i) => x + (i === k ? s * r : 0))))) : points;
  });
}

// the size of a scene without bodies
function drawnSize(run, parts) {
  const rows = run.time.length;
  const places = [];
  for (let k = 0; k < rows; k += Math.max(1, Math.floor(rows / 60))) places.push(...drawnPlaces(run, parts, k));
  const { low, high } = boundsOf(places.filter((p) => p.every(Number.isFinite)));
  return distance(low, high) || 1;
}

// from and to of a guide: where the point that slides along it is in the run
function stretchRail(run, part, size) {
  const count = run.time.length;
  const stride = Math.max(1, Math.floor(count / 200));
  let [low, high] = [Infinity, -Infinity];
  for (let k = 0; k < count; k += stride) {
    const poses = run.posesAt(k);
    const { a, b } = resolve({ ...part, from: 0, to: 1 }, run.scene, poses);
    const s = dot(sub(worldOf(run.scene, poses, part.slides), a), sub(b, a));
    [low, high] = [Math.min(low, s), Math.max(high, s)];
  }
  if (low <= high) Object.assign(part, { from: low - size / 12, to: high + size / 12 });
}

// A rail lies where the frame of the joint goes; one that stands still is straight, as far as its wheel runs.
function layTrack(run, part) {
  const rows = run.time.length;
  const stride = Math.max(1, Math.floor(rows / 200));
  const places = [];
  let [low, high] = [0, 0];
  for (let k = 0; k < rows; k += stride) {
    const poses = run.posesAt(k);
    const p = worldOf(run.scene, poses, part.a);
    const [along, up] = [part.along, part.up].map((v) => turn(poses[part.a.body].R, v));
    const s = dot(sub(worldOf(run.scene, poses, part.runs), p), along);
    [low, high] = [Math.min(low, s), Math.max(high, s)];
    places.push({ p, along, up });
  }
  const [first, last] = [places[0], places[places.length - 1]];
  const way = sub(last.p, first.p);
  const stays = length(way) < part.length / 10;
  const inside = stays ? [] : places;
  for (const end of [first, last]) if (!stays && dot(way, end.along) < 0) end.along = scale(-1, end.along); // frames of right wheels point backwards
  part.places = [
    { p: axpy(first.p, (stays ? low : 0) - part.length, first.along), up: first.up },
    ...inside,
    { p: axpy(last.p, (stays ? high : 0) + part.length, last.along), up: last.up },
  ];
}

// a plane under all of the motion
function stretchPlane(part, sweep, size) {
  const { low, high } = boundsOf(sweep);
  const middle = scale(0.5, axpy(low, 1, high));
  const out = dot(sub(middle, part.a.p), part.normal);
  part.middle = axpy(middle, -out, part.normal);
  part.size = Math.max(part.size, 1.15 * distance(low, high), size / 2);
}
