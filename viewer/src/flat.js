// Draws a machine on a plain canvas, like the figure of a textbook: plane machines always, those in
// space where there is no WebGL.
import { Camera } from "./camera.js";
import { meshOf } from "./meshes.js";
import { resolve } from "./place.js";
import { diverging } from "./theme.js";
import { axpy, cross, dot, unit } from "./vector.js";

const ORDER = { plane: 0, rail: 1, track: 1, support: 2 };

export class Flat {
  constructor(canvas, up, plane) {
    this.canvas = canvas;
    this.pen = canvas.getContext("2d");
    this.camera = new Camera(up, plane);
    this.flat = !!plane;
  }

  resize(width, height, ratio) {
    Object.assign(this.camera, { width, height });
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    this.ratio = ratio;
  }

  project(p) {
    return this.camera.project(p);
  }

  fit(points) {
    this.camera.fit(points);
  }

  look(from) {
    this.camera.look(this.flat ? null : from);
  }

  pan(dx, dy) {
    this.camera.pan(dx, dy);
  }

  shift(v) {
    this.camera.shift(v);
  }

  drag(dx, dy) {
    if (this.flat) this.camera.pan(dx, dy);
    else this.camera.orbit(dx * 0.008, dy * 0.008);
  }

  zoom(factor, x, y) {
    this.camera.zoom(factor, x, y);
  }

  // layers: [{scene, parts, poses, ghost, tint, hidden}]
  draw(layers, theme) {
    const { pen, camera } = this;
    pen.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    pen.clearRect(0, 0, camera.width, camera.height);
    for (const layer of layers) {
      pen.globalAlpha = layer.ghost ? 0.22 : 1;
      this.theme = theme;
      this.layer = layer;
      const placed = layer.parts
        .filter((part) => !layer.hidden?.(part))
        .map((part) => ({ part, at: resolve(part, layer.scene, layer.poses) }));
      for (const p of placed) p.depth = this.depthOf(p);
      placed.sort((a, b) => a.depth - b.depth);
      for (const { part, at } of placed) this[part.kind]?.(part, at, this.colourOf(part));
    }
    pen.globalAlpha = 1;
  }

  // planes and rails behind bodies, joints in front; in space, what is farther comes first
  depthOf({ part, at }) {
    const rank = ORDER[part.kind] ?? (part.layer === "joint" ? 5 : part.layer === "force" ? 4 : 3);
    if (this.flat) return rank + (part.body ?? 0) * 1e-4;
    const middle = at.a && at.b ? axpy(at.a, 0.5, [at.b[0] - at.a[0], at.b[1] - at.a[1], at.b[2] - at.a[2]]) : at.a ?? at.points?.[0] ?? at.curve?.[0] ?? at.places[0].p;
    return rank < 3 ? rank - 1e9 : this.project(middle)[2];
  }

  colourOf(part) {
    const { theme, layer } = this;
    if (part.alarm) return theme.bad;
    if (layer.tint) return layer.tint;
    if (part.layer === "body") return part.body === 0 ? theme.ground : theme.series[(part.body - 1) % theme.series.length];
    return part.layer === "force" ? theme.spring : theme.joint;
  }

  // ---- primitives ----

  path(points, closed) {
    const { pen } = this;
    pen.beginPath();
    points.forEach((p, k) => {
      const [x, y] = this.project(p);
      if (k) pen.lineTo(x, y);
      else pen.moveTo(x, y);
    });
    if (closed) pen.closePath();
  }

  stroke(width, colour, cap = "round") {
    const { pen } = this;
    Object.assign(pen, { lineWidth: width, strokeStyle: colour, lineCap: cap, lineJoin: "round" });
    pen.stroke();
  }

  circle(p, radius, fill, edge, width = 1.5) {
    const { pen } = this;
    const [x, y] = this.project(p);
    pen.beginPath();
    pen.arc(x, y, Math.max(radius, 0.5), 0, 2 * Math.PI);
    if (fill) {
      pen.fillStyle = fill;
      pen.fill();
    }
    if (edge) this.stroke(width, edge);
  }

  px(length) {
    return length * this.camera.pixels;
  }

  // a thick line with an outline
  bar(points, width, colour, cap) {
    this.path(points);
    this.stroke(width + 2, shade(colour, -0.35), cap);
    this.path(points);
    this.stroke(Math.max(width, 1), colour, cap);
  }

  rod(part, { a, b }, colour) {
    const width = Math.max(this.px(2 * part.r), part.strut ? 1 : 2.5);
    const [xa, ya] = this.project(a);
    const [xb, yb] = this.project(b);
    if (part.flat && Math.hypot(xb - xa, yb - ya) < width / 2) {
      this.circle(a, width / 2, shade(colour, 0.25), shade(colour, -0.35));
      this.spoke(part, a, width / 2, colour);
      return;
    }
    this.bar([a, b], width, part.strut ? shade(colour, 0.2) : colour, part.flat ? "butt" : "round");
  }

  // a mark that shows that a disc turns
  spoke(part, a, radius, colour) {
    const R = this.layer.poses[part.a.body].R;
    const u = [R[0], R[3], R[6]];
    const v = [R[1], R[4], R[7]];
    const across = Math.abs(dot(u, this.camera.toward)) < 0.9 ? u : v;
    const s = (0.9 * radius) / this.camera.pixels;
    this.path([axpy(a, -s, across), axpy(a, s, across)]);
    this.stroke(1.5, shade(colour, -0.35));
  }

  ball(part, { a }, colour) {
    const radius = this.px(part.r);
    if (part.hollow) return this.circle(a, radius, null, colour, 1);
    if (part.layer === "joint") return this.circle(a, Math.max(radius, 2.5), this.theme.paper, colour, 2);
    this.circle(a, Math.max(radius, 3), colour, shade(colour, -0.35));
    if (radius > 8) this.spoke(part, a, radius, colour);
  }

  box(part, { a, half }, colour) {
    const corners = [];
    for (let k = 0; k < 8; k++)
      corners.push(axpy(axpy(axpy(a, k & 1 ? 1 : -1, half[0]), k & 2 ? 1 : -1, half[1]), k & 4 ? 1 : -1, half[2]));
    this.hull(corners, colour, 1.5);
  }

  // the shadow of its triangles on the screen, each turned the same way round so that all are filled
  mesh(part, { at, axes }, colour) {
    const { pen } = this;
    const { points, corners } = meshOf(this.layer.scene, part.mesh);
    const screen = [];
    for (let k = 0; k < points.length; k += 3) screen.push(this.project(axes.reduce((p, v, i) => axpy(p, points[k + i], v), at)));
    pen.beginPath();
    for (let k = 0; k < corners.length; k += 3) {
      const [a, b, c] = [screen[corners[k]], screen[corners[k + 1]], screen[corners[k + 2]]];
      const area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
      const order = area < 0 ? [a, c, b] : [a, b, c];
      order.forEach(([x, y], i) => (i ? pen.lineTo(x, y) : pen.moveTo(x, y)));
      pen.closePath();
    }
    this.stroke(2.5, shade(colour, -0.35));
    pen.fillStyle = colour;
    pen.fill();
    this.stroke(0.5, colour);
  }

  drawnPoint(part, { points }, colour) {
    this.circle(points[0], 4, colour, shade(colour, -0.35), 1.5);
  }

  drawnLine(part, { points }, colour) {
    this.path(points);
    this.stroke(3, colour);
  }

  drawnCircle(part, { points, r }, colour) {
    this.circle(points[0], this.px(Math.abs(r)), shade(colour, this.theme.dark ? -0.4 : 0.55), colour, 2);
  }

  curve(part, { points }, colour) {
    this.bar(points, Math.max(this.px(2 * part.r), 1.5), colour);
  }

  plate(part, { points }, colour) {
    this.hull(points, colour, Math.max(this.px(2 * part.r), 3));
  }

  // the outline of points on the screen, filled
  hull(points, colour, width) {
    const { pen } = this;
    const outline = convexHull(points.map((p) => this.project(p)));
    pen.beginPath();
    outline.forEach(([x, y], k) => (k ? pen.lineTo(x, y) : pen.moveTo(x, y)));
    pen.closePath();
    this.stroke(width + 2, shade(colour, -0.35));
    this.stroke(width, colour);
    pen.fillStyle = colour;
    pen.fill();
  }

  pin(part, { a }, colour) {
    const radius = Math.max(this.px(part.r), 3);
    this.circle(a, radius, this.theme.paper, colour, 2);
    if (part.joint?.driven) this.circle(a, radius * 0.45, this.theme.arrow, null);
  }

  // the triangle under a joint on the ground, with hatching
  support(part, { a }) {
    const { pen, theme } = this;
    const [x, y] = this.project(a);
    const s = Math.max(this.px(part.r), 4) * 2.1;
    pen.beginPath();
    pen.moveTo(x, y);
    pen.lineTo(x - s, y + 1.5 * s);
    pen.lineTo(x + s, y + 1.5 * s);
    pen.closePath();
    pen.fillStyle = theme.paper;
    pen.fill();
    this.stroke(1.5, theme.ground);
    pen.beginPath();
    pen.moveTo(x - 1.5 * s, y + 1.5 * s);
    pen.lineTo(x + 1.5 * s, y + 1.5 * s);
    for (let k = -3; k <= 3; k++) {
      pen.moveTo(x + 0.4 * k * s + 0.25 * s, y + 1.5 * s);
      pen.lineTo(x + 0.4 * k * s - 0.25 * s, y + 2 * s);
    }
    this.stroke(1.2, theme.ground, "butt");
  }

  rail(part, { a, b }) {
    const { theme } = this;
    this.path([a, b]);
    this.pen.setLineDash([7, 5]);
    this.stroke(1.5, theme.ground, "butt");
    this.pen.setLineDash([]);
  }

  plane(part, { a, normal, u, v }) {
    const { theme } = this;
    const across = Math.abs(dot(normal, this.camera.toward)) < 0.3;
    if (!across) {
      const s = part.size / 2;
      const corners = [[1, 1], [1, -1], [-1, -1], [-1, 1]].map(([i, j]) => axpy(axpy(a, i * s, u), j * s, v));
      this.path(corners, true);
      this.pen.fillStyle = shade(theme.ground, theme.dark ? -0.5 : 0.75);
      this.pen.fill();
      return;
    }
    const along = unit(cross(normal, this.camera.toward));
    const [p, q] = [axpy(a, -part.size / 2, along), axpy(a, part.size / 2, along)];
    this.path([p, q]);
    this.stroke(2, theme.ground, "butt");
    const tick = part.size / 60;
    for (let k = 0; k <= 30; k++) {
      const at = axpy(p, (k * part.size) / 30, along);
      this.path([at, axpy(axpy(at, -tick * 1.4, normal), -tick, along)]);
      this.stroke(1, theme.ground, "butt");
    }
  }

  wheel(part, { a, axis, spokes }, colour) {
    const rim = [];
    for (let k = 0; k <= 48; k++) {
      const angle = (2 * Math.PI * k) / 48;
      rim.push(axpy(axpy(a, part.r * Math.cos(angle), spokes[0]), part.r * Math.sin(angle), spokes[1]));
    }
    this.path(rim, true);
    this.stroke(Math.max(this.px(part.r) / 14, 2.5), colour);
    for (const s of spokes) {
      this.path([axpy(a, -part.r, s), axpy(a, part.r, s)]);
      this.stroke(1, colour);
    }
    void axis;
  }

  tyre(part, at, colour) {
    this.wheel(part, at, this.theme.joint);
    this.circle(at.a, 3, colour, null);
  }

  track(part, { places }) {
    this.path(places.map((q) => q.p));
    this.stroke(3, this.theme.ground, "butt");
  }

  // the line of a spring or damper on the screen; where both are, each is a little to its side
  beside(part, a, b) {
    let [xa, ya] = this.project(a);
    let [xb, yb] = this.project(b);
    const L = Math.hypot(xb - xa, yb - ya) || 1;
    const [ex, ey] = [(xb - xa) / L, (yb - ya) / L];
    let r = Math.max(this.px(part.r), 4);
    if (part.side) {
      const out = Math.max(this.px(this.layer.size / 45), 7) * 0.75 * part.side;
      r = Math.min(r, Math.abs(out) * 0.8);
      const { pen } = this;
      pen.beginPath();
      for (const [x, y] of [[xa, ya], [xb, yb]]) {
        pen.moveTo(x, y);
        pen.lineTo(x - ey * out, y + ex * out);
      }
      this.stroke(1.8, this.theme.spring);
      [xa, ya, xb, yb] = [xa - ey * out, ya + ex * out, xb - ey * out, yb + ex * out];
    }
    return { xa, ya, xb, yb, L, ex, ey, r };
  }

  // in steps of a helix seen from the side
  coil(part, { a, b }, colour) {
    const { xa, ya, xb, yb, L, ex, ey, r } = this.beside(part, a, b);
    const { pen } = this;
    const turns = 9;
    pen.beginPath();
    pen.moveTo(xa, ya);
    for (let k = 0; k <= 2 * turns; k++) {
      const s = (0.12 + (0.76 * k) / (2 * turns)) * L;
      const side = k === 0 || k === 2 * turns ? 0 : k % 2 ? r : -r;
      pen.lineTo(xa + ex * s - ey * side, ya + ey * s + ex * side);
    }
    pen.lineTo(xb, yb);
    this.stroke(1.8, colour);
  }

  damper(part, { a, b }, colour) {
    const { xa, ya, L, ex, ey, r } = this.beside(part, a, b);
    const { pen } = this;
    const at = (s, side) => [xa + ex * s * L - ey * side, ya + ey * s * L + ex * side];
    const lines = [[at(0, 0), at(0.35, 0)], [at(0.35, -r), at(0.35, r)], [at(0.35, -r), at(0.7, -r)], [at(0.35, r), at(0.7, r)], [at(0.52, -0.7 * r), at(0.52, 0.7 * r)], [at(0.52, 0), at(1, 0)]];
    pen.beginPath();
    for (const [p, q] of lines) {
      pen.moveTo(...p);
      pen.lineTo(...q);
    }
    this.stroke(1.8, colour, "butt");
  }

  bushing(part, { a, b }, colour) {
    const r = Math.max(this.px(part.r), 5);
    this.path([a, b]);
    this.stroke(2, colour);
    this.circle(a, r, shade(colour, this.theme.dark ? -0.4 : 0.55), colour, 2);
    this.circle(b, r * 0.4, colour, null);
  }

  beam(part, { curve, moment }, colour) {
    const width = Math.max(this.px(2 * part.r), 3.5);
    this.path(curve);
    this.stroke(width + 2, shade(colour, -0.35));
    const largest = this.layer.momentScale?.(part) || Math.max(...moment.map(Math.abs)) || 1;
    for (let k = 0; k + 1 < curve.length; k++) {
      this.path([curve[k], curve[k + 1]]);
      this.stroke(width, this.layer.ghost || this.layer.tint ? colour : diverging((moment[k] + moment[k + 1]) / 2 / largest, this.theme.dark));
    }
  }

  bow(part, at, colour) {
    this.beam(part, at, colour);
  }
}

// A colour made darker (amount < 0) or lighter.
export function shade(colour, amount) {
  const parts = colour.startsWith("#")
    ? [1, 3, 5].map((k) => parseInt(colour.slice(k, k + 2), 16))
    : colour.match(/[\d.]+/g).slice(0, 3).map(Number);
  const to = amount < 0 ? 0 : 255;
  return `rgb(${parts.map((c) => Math.round(c + Math.abs(amount) * (to - c))).join(",")})`;
}

// The convex outline of points of the screen (Andrew's chain).
export function convexHull(points) {
  const sorted = [...points].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const side = (o, a, b) => (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0]);
  const half = (list) => {
    const out = [];
    for (const p of list) {
      while (out.length >= 2 && side(out[out.length - 2], out[out.length - 1], p) <= 0) out.pop();
      out.push(p);
    }
    out.pop();
    return out;
  };
  return [...half(sorted), ...half(sorted.reverse())];
}
