// How the world is projected on the screen by the drawing without WebGL, and for plane machines:
// orthographic, along `toward`, which points at the reader.
import { axpy, cross, dot, scale, unit } from "./vector.js";

export class Camera {
  constructor(up, plane) {
    this.up0 = up;
    this.plane = plane;
    this.centre = [0, 0, 0];
    this.pixels = 100; // per metre
    this.width = this.height = 100;
    this.look(plane ? null : unit([1.1, -1.5, 0.9]));
  }

  // Looks at the machine from a direction; plane machines: from the front.
  look(from) {
    if (!from) {
      // right is the other axis of the plane, in its positive direction
      const axes = { xy: [0, 1], yz: [1, 2], zx: [2, 0] }[this.plane] ?? [0, 2];
      const right = [0, 0, 0];
      right[Math.abs(this.up0[axes[1]]) > 0.5 ? axes[0] : axes[1]] = 1;
      this.set(right, this.up0);
    } else {
      const up = Math.abs(dot(from, this.up0)) > 0.99 ? unit(cross([0, 0, 1], from).some((x) => Math.abs(x) > 1e-6) ? [0, 0, 1] : [0, 1, 0]) : this.up0;
      const right = unit(cross(up, from));
      this.set(right, unit(cross(from, right)));
    }
  }

  set(right, up) {
    this.right = right;
    this.up = up;
    this.toward = cross(right, up);
  }

  // Turns by angles on the screen.
  orbit(dx, dy) {
    const turnAbout = (v, axis, angle) => {
      const c = Math.cos(angle);
      const s = Math.sin(angle);
      return axpy(axpy(scale(c, v), s, cross(axis, v)), dot(axis, v) * (1 - c), axis);
    };
    this.right = unit(turnAbout(this.right, this.up0, -dx));
    this.up = unit(turnAbout(turnAbout(this.up, this.up0, -dx), this.right, -dy));
    this.toward = cross(this.right, this.up);
  }

  project(p) {
    const d = [p[0] - this.centre[0], p[1] - this.centre[1], p[2] - this.centre[2]];
    return [this.width / 2 + this.pixels * dot(d, this.right), this.height / 2 - this.pixels * dot(d, this.up), dot(d, this.toward)];
  }

  pan(dx, dy) {
    this.centre = axpy(axpy(this.centre, -dx / this.pixels, this.right), dy / this.pixels, this.up);
  }

  shift(v) {
    this.centre = axpy(this.centre, 1, v);
  }

  // Zooms about a place of the screen.
  zoom(factor, x, y) {
    const dx = x - this.width / 2;
    const dy = y - this.height / 2;
    this.pan(-dx, -dy);
    this.pixels *= factor;
    this.pan(dx, dy);
  }

  // Shows all points, with a margin.
  fit(points) {
    let [left, right, low, high] = [Infinity, -Infinity, Infinity, -Infinity];
    for (const p of points) {
      const u = dot(p, this.right);
      const v = dot(p, this.up);
      left = Math.min(left, u);
      right = Math.max(right, u);
      low = Math.min(low, v);
      high = Math.max(high, v);
    }
    if (!(left <= right)) return;
    const size = Math.max(right - left, high - low) || 1;
    const along = (Math.min(...points.map((p) => dot(p, this.toward))) + Math.max(...points.map((p) => dot(p, this.toward)))) / 2;
    this.pixels = Math.min(this.width / (right - left + 0.22 * size), this.height / (high - low + 0.22 * size));
    this.centre = axpy(axpy(scale((left + right) / 2, this.right), (low + high) / 2, this.up), along, this.toward);
  }
}
