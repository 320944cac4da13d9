// Draws a machine in space with WebGL: every part is an instance of a unit cylinder, ball, box or
// coil, so that thousands of bodies are a handful of draw calls.
import {
  AmbientLight, BoxGeometry, BufferAttribute, BufferGeometry, CatmullRomCurve3, Color, CylinderGeometry, DirectionalLight, DoubleSide, DynamicDrawUsage,
  HemisphereLight, InstancedMesh, LineBasicMaterial, LineSegments, Matrix4, Mesh, MeshBasicMaterial, MeshLambertMaterial, MeshStandardMaterial, PerspectiveCamera,
  PlaneGeometry, Scene, SphereGeometry, TorusGeometry, TubeGeometry, Vector3, WebGLRenderer,
} from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { meshOf } from "./meshes.js";
import { boundsOf } from "./parts.js";
import { resolve } from "./place.js";
import { diverging } from "./theme.js";
import { axpy, cross, distance, dot, length, normalTo, scale, sub, turn, unit } from "./vector.js";

// Of more parts than this each is made of fewer triangles.
const MANY_PARTS = 1500;

// From the origin to (0, 0, 1), radius 1.
function unitCylinder(coarse) {
  const g = new CylinderGeometry(1, 1, 1, coarse ? 7 : 32, 1);
  g.rotateX(Math.PI / 2);
  g.translate(0, 0, 0.5);
  return g;
}

// its wire is round where the spring is six times as long as its radius
function unitCoil(coarse) {
  const points = [];
  const turns = coarse ? 4 : 9;
  const long = 6;
  for (let k = 0; k <= 16 * turns; k++) {
    const s = k / (16 * turns);
    const grow = Math.min(1, 8 * s, 8 * (1 - s));
    points.push(new Vector3(grow * Math.cos(2 * Math.PI * turns * s), grow * Math.sin(2 * Math.PI * turns * s), long * s));
  }
  return new TubeGeometry(new CatmullRomCurve3(points), (coarse ? 8 : 16) * turns, 0.14, coarse ? 3 : 6).scale(1, 1, 1 / long);
}

const GEOMETRIES = {
  rod: unitCylinder,
  ball: (coarse) => (coarse ? new SphereGeometry(1, 8, 6) : new SphereGeometry(1, 20, 14)),
  box: () => new BoxGeometry(2, 2, 2),
  clear: () => new BoxGeometry(2, 2, 2),
  coil: unitCoil,
  rim: () => new TorusGeometry(1, 0.05, 10, 48),
  tyre: () => new TorusGeometry(0.78, 0.22, 14, 48),
};

// The triangles of a file.
function meshGeometry(scene, index) {
  const { points, corners } = meshOf(scene, index);
  const g = new BufferGeometry();
  g.setAttribute("position", new BufferAttribute(points, 3));
  g.setIndex(new BufferAttribute(corners, 1));
  return g;
}

// The instances of one geometry; their number may change from frame to frame.
class Batch {
  constructor(world, geometry, ghost, coarse, style = {}) {
    Object.assign(this, { world, geometry, ghost, coarse, style, capacity: 0, used: 0, matrix: new Matrix4(), colour: new Color() });
  }

  begin() {
    this.used = 0;
  }

  reserve(count) {
    if (count <= this.capacity) return;
    const before = this.mesh;
    this.capacity = Math.max(16, 2 * count);
    const look = { transparent: this.ghost, opacity: this.ghost ? 0.22 : 1, depthWrite: !this.ghost, ...this.style };
    const material = this.coarse ? new MeshLambertMaterial(look) : new MeshStandardMaterial({ roughness: 0.55, metalness: 0.1, ...look });
    this.mesh = new InstancedMesh(this.geometry, material, this.capacity);
    this.mesh.instanceMatrix.setUsage(DynamicDrawUsage);
    this.mesh.frustumCulled = false;
    this.mesh.setColorAt(0, this.colour);
    for (let k = 0; before && k < this.used; k++) {
      before.getMatrixAt(k, this.matrix);
      this.mesh.setMatrixAt(k, this.matrix);
      before.getColorAt(k, this.colour);
      this.mesh.setColorAt(k, this.colour);
    }
    if (before) {
      this.world.remove(before);
      before.dispose();
    }
    this.world.add(this.mesh);
  }

  // columns u, v, w of the unit geometry, at a
  add(u, v, w, a, colour) {
    this.reserve(this.used + 1);
    this.matrix.set(u[0], v[0], w[0], a[0], u[1], v[1], w[1], a[1], u[2], v[2], w[2], a[2], 0, 0, 0, 1);
    this.mesh.setMatrixAt(this.used, this.matrix);
    this.mesh.setColorAt(this.used, this.colour.set(colour));
    this.used++;
  }

  end() {
    if (!this.mesh) return;
    this.mesh.count = this.used;
    for (const [buffer, size] of [[this.mesh.instanceMatrix, 16], [this.mesh.instanceColor, 3]]) {
      buffer.clearUpdateRanges();
      buffer.addUpdateRange(0, size * this.used); // not its whole capacity
      buffer.needsUpdate = this.used > 0;
    }
  }
}

export class Space {
  constructor(canvas, up, size, parts = 0) {
    this.coarse = parts > MANY_PARTS;
    this.canvas = canvas;
    this.renderer = new WebGLRenderer({ canvas, antialias: !this.coarse, alpha: true, preserveDrawingBuffer: true });
    this.world = new Scene();
    this.camera = new PerspectiveCamera(32, 1, size / 500, size * 500);
    this.camera.up.set(...up);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.enableDamping = false;
    this.up = up;
    this.size = size;
    this.batches = [];
    this.planes = new Map();
    this.lights();
    this.grid = null;
  }

  lights() {
    const sky = new HemisphereLight(0xffffff, 0x8890a0, 1.5);
    sky.position.set(...this.up);
    this.sun = new DirectionalLight(0xffffff, 2.2);
    this.world.add(sky, new AmbientLight(0xffffff, 0.35), this.sun);
  }

  resize(width, height, ratio) {
    this.width = width;
    this.height = height;
    this.renderer.setPixelRatio(ratio);
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
  }

  project(p) {
    const v = new Vector3(...p).project(this.camera);
    return [((v.x + 1) / 2) * this.width, ((1 - v.y) / 2) * this.height, -v.z];
  }

  // A grid below the machine, on the ground.
  placeGrid(points, theme) {
    if (this.grid) this.world.remove(this.grid);
    const axis = this.up.findIndex((x) => Math.abs(x) > 0.5);
    const sign = this.up[axis];
    let low = Infinity;
    for (const p of points) low = Math.min(low, sign * p[axis]);
    const wide = Math.max(this.size, this.radius, distance(...ends(points)) / 2);
    const step = this.roams ? roundUp(this.size / 4) : 10 ** Math.floor(Math.log10(wide / 4));
    const cells = this.roams ? 60 : Math.min(80, Math.ceil((2.4 * wide) / step / 2) * 2);
    this.gridStep = step;
    this.grid = new LineSegments(gridLines(cells, step, axis), new LineBasicMaterial({ color: theme.ground }));
    const [least, most] = ends(points);
    const at = least.map((x, k) => Math.round((x + most[k]) / 2 / step) * step);
    at[axis] = this.floor ?? sign * (low - this.size * 0.045);
    this.grid.position.set(...at);
    this.grid.material.transparent = true;
    this.grid.material.opacity = 0.28;
    this.world.add(this.grid);
  }

  // The grid goes along with a machine that travels; its lines stay where they are.
  moveGrid() {
    const { x, y, z } = this.controls.target;
    const axis = this.up.findIndex((u) => Math.abs(u) > 0.5);
    const at = [x, y, z].map((q, k) => (k === axis ? this.grid.position.getComponent(k) : Math.round(q / this.gridStep) * this.gridStep));
    this.grid.position.set(...at);
  }

  // points: all the places of the machine, for the grid; shown: those that must be seen
  fit(shown, points = shown) {
    const [low, high] = ends(shown);
    this.middle = scale(0.5, axpy(low, 1, high));
    this.radius = distance(low, high) / 2 || this.size / 2;
    this.shown = shown.map((p) => sub(p, this.middle));
    this.points = points;
    if (this.theme) this.placeGrid(points, this.theme);
    this.look(this.from ?? unit(this.firstView()));
  }

  // from the side, a little above; x to the right
  firstView() {
    const axis = this.up.findIndex((x) => Math.abs(x) > 0.5);
    if (axis === 1) return [0.55, 0.4 * this.up[1], 1];
    if (axis === 2) return [0.55, -1, 0.42 * this.up[2]];
    return [0.4 * this.up[0], 0.55, 1];
  }

  look(from) {
    this.from = from;
    // exactly along `up` the camera has no upright
    const tilted = Math.abs(from[0] * this.up[0] + from[1] * this.up[1] + from[2] * this.up[2]) > 0.999 ? unit(axpy(from, 1e-3, normalTo(from))) : from;
    const d = this.distanceFor(tilted);
    this.controls.target.set(...this.middle);
    this.camera.position.set(...axpy(this.middle, d, tilted));
    this.camera.near = this.radius / 200;
    this.camera.far = d + 60 * this.radius;
    this.camera.updateProjectionMatrix();
    this.controls.update();
  }

  // how far away the camera must be for all points to be in the picture: with the coordinates x to
  // the right, y upwards and z towards the camera, |x| <= 0.82 w (d - z) and |y| <= 0.82 h (d - z)
  distanceFor(from) {
    const right = unit(cross(this.up, from));
    const up = cross(from, right);
    const h = 0.82 * Math.tan((this.camera.fov * Math.PI) / 360);
    const w = h * this.camera.aspect;
    const needed = this.shown.map((p) => dot(p, from) + Math.max(Math.abs(dot(p, right)) / w, Math.abs(dot(p, up)) / h));
    return needed.reduce((most, d) => Math.max(most, d), 0) || this.radius / h;
  }

  shift(v) {
    this.camera.position.add(new Vector3(...v));
    this.controls.target.add(new Vector3(...v));
    this.middle = axpy(this.middle, 1, v);
    this.controls.update();
  }

  zoom(factor) {
    const v = this.camera.position.sub(this.controls.target).multiplyScalar(1 / factor);
    this.camera.position.copy(v.add(this.controls.target));
    this.controls.update();
  }

  draw(layers, theme) {
    if (theme !== this.theme && this.points) this.placeGrid(this.points, theme);
    this.theme = theme;
    if (this.roams && this.grid) this.moveGrid();
    const offset = axpy(scale(this.radius ?? 1, this.up), 0.6, [this.size, -this.size, this.size]);
    this.sun.position.set(...axpy([this.camera.position.x, this.camera.position.y, this.camera.position.z], 1, offset));
    layers.forEach((layer, k) => {
      this.layer = layer;
      this.batch = this.batches[k] ??= Object.fromEntries(Object.entries(GEOMETRIES).map(([kind, make]) => [kind, new Batch(this.world, make(this.coarse), layer.ghost || kind === "clear", this.coarse)]));
      for (const kind in this.batch) this.batch[kind].begin();
      for (const part of layer.parts) {
        if (layer.hidden?.(part)) continue;
        this[part.kind]?.(part, resolve(part, layer.scene, layer.poses), this.colourOf(part));
      }
    });
    this.batches.forEach((batch, k) => {
      for (const kind in batch) {
        if (k >= layers.length) batch[kind].begin();
        batch[kind].end();
      }
    });
    this.renderer.render(this.world, this.camera);
  }

  colourOf(part) {
    const { theme, layer } = this;
    if (part.alarm) return theme.bad;
    if (layer.tint) return layer.tint;
    if (part.layer === "body") return part.body === 0 ? theme.ground : theme.series[(part.body - 1) % theme.series.length];
    return part.layer === "force" ? theme.spring : theme.joint;
  }

  // ---- parts ----

  between(kind, a, b, r, colour) {
    const w = sub(b, a);
    const L = length(w);
    if (!(L > 0)) return;
    const u = normalTo(scale(1 / L, w));
    const v = cross(scale(1 / L, w), u);
    this.batch[kind].add(scale(r, u), scale(r, v), w, a, colour);
  }

  ballAt(a, r, colour) {
    this.batch.ball.add([r, 0, 0], [0, r, 0], [0, 0, r], a, colour);
  }

  rod(part, { a, b }, colour) {
    this.between("rod", a, b, part.r, colour);
    if (part.flat && part.r > distance(a, b)) this.marks(part, a, b);
    if (part.flat || part.strut || this.layer.simple) return;
    this.ballAt(a, part.r, colour);
    this.ballAt(b, part.r, colour);
  }

  // bars across the ends of a disc, which show that it turns
  marks(part, a, b) {
    const axis = unit(sub(b, a));
    const across = turn(this.layer.poses[part.a.body].R, normalTo(unit(sub(part.b.p, part.a.p))));
    for (const [at, out] of [[a, -1], [b, 1]]) {
      const p = axpy(at, out * part.r * 0.01, axis);
      this.between("rod", axpy(p, -0.92 * part.r, across), axpy(p, 0.92 * part.r, across), part.r * 0.035, this.theme.joint);
    }
  }

  ball(part, { a }, colour) {
    if (!part.hollow) this.ballAt(a, part.r, colour);
  }

  box(part, { a, half }, colour) {
    this.batch[part.clear ? "clear" : "box"].add(half[0], half[1], half[2], a, colour);
  }

  // its facets are lit from both sides: files do not agree which is out, mirror images neither
  mesh(part, { at, axes }, colour) {
    const { scene, ghost } = this.layer;
    const batch = (this.batch[`mesh${part.mesh}`] ??= new Batch(this.world, meshGeometry(scene, part.mesh), ghost, this.coarse, { flatShading: true, side: DoubleSide }));
    batch.add(...axes, at, colour);
  }

  drawnPoint(part, { points }, colour) {
    if (points[0].every(Number.isFinite)) this.ballAt(points[0], this.size / 60, colour);
  }

  drawnLine(part, { points }, colour) {
    for (let k = 0; k + 1 < points.length; k++) this.between("rod", points[k], points[k + 1], this.size / 150, colour);
  }

  drawnCircle(part, { points, r }, colour) {
    if (Number.isFinite(r) && points[0].every(Number.isFinite)) this.ballAt(points[0], Math.abs(r), colour);
  }

  curve(part, { points }, colour) {
    for (let k = 0; k + 1 < points.length; k++) this.between("rod", points[k], points[k + 1], part.r, colour);
  }

  // struts between the points of a body, or from its middle where there are many
  plate(part, { points }, colour) {
    const middle = scale(1 / points.length, points.reduce((s, p) => axpy(s, 1, p), [0, 0, 0]));
    points.forEach((p, k) => {
      this.ballAt(p, part.r, colour);
      if (points.length === 3) this.between("rod", p, points[(k + 1) % 3], part.r, colour);
      else this.between("rod", middle, p, part.r, colour);
    });
    if (points.length > 3) this.ballAt(middle, part.r * 1.4, colour);
  }

  pin(part, { a, axis }, colour) {
    const h = 2.2 * part.r;
    this.between("rod", axpy(a, -h, axis), axpy(a, h, axis), part.r, part.joint?.driven ? this.theme.arrow : colour);
  }

  support(part, { a }) {
    const r = 2.2 * part.r;
    const down = axpy(a, -r, this.up);
    this.between("rod", axpy(down, -0.35 * r, this.up), down, 1.5 * r, this.theme.ground);
    this.between("rod", down, a, 0.5 * r, this.theme.ground);
  }

  rail(part, { a, b }) {
    this.between("rod", a, b, part.r, this.theme.ground);
  }

  coil(part, { a, b }, colour) {
    this.between("coil", a, b, part.r, colour);
  }

  damper(part, { a, b }, colour) {
    const at = (s) => axpy(a, s, sub(b, a));
    this.between("rod", a, at(0.55), part.r, colour);
    this.between("rod", at(0.55), b, part.r * 0.4, this.theme.joint);
  }

  bushing(part, { a, b, axis }, colour) {
    this.between("rod", axpy(a, -part.r, axis), axpy(a, part.r, axis), part.r, colour);
    this.ballAt(b, part.r * 0.7, this.theme.joint);
  }

  wheel(part, { a, axis, spokes }, colour) {
    this.batch.rim.add(scale(part.r, spokes[0]), scale(part.r, spokes[1]), scale(part.r, axis), a, colour);
    for (const s of spokes) this.between("rod", axpy(a, -part.r, s), axpy(a, part.r, s), part.r / 40, colour);
  }

  tyre(part, { a, axis, spokes }, colour) {
    this.batch.tyre.add(scale(part.r, spokes[0]), scale(part.r, spokes[1]), scale(part.r, axis), a, this.theme.joint);
    for (const s of spokes) this.between("rod", axpy(a, -0.7 * part.r, s), axpy(a, 0.7 * part.r, s), part.r / 20, colour);
  }

  // boxes from place to place, as high as a third of the wheel
  track(part, { places }) {
    for (let k = 0; k + 1 < places.length; k++) {
      const w = scale(0.5, sub(places[k + 1].p, places[k].p));
      const up = scale(part.r / 6, places[k].up);
      const across = scale(part.r / 13, unit(cross(w, up)));
      this.batch.box.add(w, across, up, axpy(axpy(places[k].p, 1, w), -1, up), this.theme.ground);
    }
  }

  plane(part, { a, u, v, normal }) {
    let mesh = this.planes.get(part);
    if (!mesh) {
      mesh = new Mesh(new PlaneGeometry(1, 1), new MeshBasicMaterial({ transparent: true, opacity: 0.07, side: DoubleSide, depthWrite: false }));
      mesh.matrixAutoUpdate = false;
      this.planes.set(part, mesh);
      this.world.add(mesh);
    }
    mesh.material.color.set(this.theme.ground);
    const s = part.size;
    const w = normal;
    mesh.matrix.set(s * u[0], s * v[0], w[0], a[0], s * u[1], s * v[1], w[1], a[1], s * u[2], s * v[2], w[2], a[2], 0, 0, 0, 1);
  }

  beam(part, { curve, moment }, colour) {
    const largest = this.layer.momentScale?.(part) || Math.max(...moment.map(Math.abs)) || 1;
    for (let k = 0; k + 1 < curve.length; k++)
      this.between("rod", curve[k], curve[k + 1], part.r, this.layer.ghost || this.layer.tint ? colour : diverging((moment[k] + moment[k + 1]) / 2 / largest, this.theme.dark));
  }

  bow(part, at, colour) {
    this.beam(part, at, colour);
  }
}

// Squares normal to an axis. Lines are divided at their crossings: of one that passes the camera, the
// software renderer of a browser without graphics card leaves out all.
function gridLines(cells, step, axis) {
  const [u, v] = [(axis + 1) % 3, (axis + 2) % 3];
  const at = [];
  const end = (cells * step) / 2;
  for (let i = 0; i <= cells; i++)
    for (let k = 0; k < cells; k++)
      for (const [along, across] of [[u, v], [v, u]])
        for (const s of [k, k + 1]) {
          const p = [0, 0, 0];
          p[along] = s * step - end;
          p[across] = i * step - end;
          at.push(...p);
        }
  return new BufferGeometry().setAttribute("position", new BufferAttribute(new Float32Array(at), 3));
}

// The next of 1, 2, 5, 10, 20, ...
function roundUp(x) {
  const ten = 10 ** Math.floor(Math.log10(x));
  return ten * [1, 2, 5, 10].find((k) => k * ten >= x * (1 - 1e-9));
}

// The corners of the box around points.
function ends(points) {
  const { low, high } = boundsOf(points);
  return [low, high];
}

// Whether this browser has WebGL.
export function hasWebGL() {
  try {
    const canvas = document.createElement("canvas");
    return !!(canvas.getContext("webgl2"));
  } catch {
    return false;
  }
}
