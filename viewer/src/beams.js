// Elastic bodies: the bent line through their nodes, and the bending moment along it.
//
// With deflection w and slope s of two neighbouring nodes, h apart, the line between them is the
// cubic with these values, and its moment is M = E I w''.
import { add, axpy, cross, dot, length, scale, sub, turn } from "./vector.js";

const PIECES = 6; // per element

// values of the cubic and of its second derivative at s in [0, 1]
function cubic(w0, s0, w1, s1, h, s) {
  const value =
    w0 * (1 - 3 * s * s + 2 * s * s * s) + s0 * h * (s - 2 * s * s + s * s * s) +
    w1 * (3 * s * s - 2 * s * s * s) + s1 * h * (s * s * s - s * s);
  const bend =
    (w0 * (-6 + 12 * s) + s0 * h * (-4 + 6 * s) + w1 * (6 - 12 * s) + s1 * h * (-2 + 6 * s)) / (h * h);
  return [value, bend];
}

// Deflection and slope of the nodes against the frame of a beam, the left end first.
function nodeStates(part, scene, poses, origin, e, n) {
  const states = [{ x: 0, w: 0, slope: 0 }];
  for (let k = 0; k < part.count; k++) {
    const b = part.first + k;
    const d = sub(poses[b].r, origin);
    const along = turn(poses[b].R, part.beam.along);
    states.push({ x: dot(sub(scene.bodies[b].center, part.beam.from), part.beam.along), w: dot(d, n), slope: Math.atan2(dot(along, n), dot(along, e)) });
  }
  states.sort((a, b) => a.x - b.x);
  if (states.length > 1 && states[1].x < 1e-9 * part.beam.length) states.shift(); // the first node is at the left end
  return states;
}

export function beamCurve(part, scene, poses) {
  const { beam, frame } = part;
  const pose = poses[frame];
  const origin = add(pose.r, turn(pose.R, sub(beam.from, scene.bodies[frame].center)));
  const e = turn(pose.R, beam.along);
  const plane = { xy: [0, 0, 1], yz: [1, 0, 0], zx: [0, 1, 0] }[scene.plane] ?? [0, 0, 1];
  const n = cross(plane, e);
  const states = nodeStates(part, scene, poses, origin, e, n);
  const curve = [];
  const moment = [];
  for (let k = 0; k + 1 < states.length; k++) {
    const [p, q] = [states[k], states[k + 1]];
    const h = q.x - p.x;
    for (let i = k === 0 ? 0 : 1; i <= PIECES; i++) {
      const s = i / PIECES;
      const [w, bend] = cubic(p.w, p.slope, q.w, q.slope, h, s);
      curve.push(axpy(axpy(origin, p.x + s * h, e), w, n));
      moment.push(beam.stiffness * bend);
    }
  }
  return { curve, moment };
}

// A line between two ends that leaves along ta and arrives along tb, and the size of its bending
// moment, stiffness times |c''|/h^2 of the cubic c(s), s = 0 .. 1.
export function bowCurve(a, b, ta, tb, stiffness) {
  const h = length(sub(b, a));
  const curve = [];
  const moment = [];
  for (let i = 0; i <= 2 * PIECES; i++) {
    const s = i / (2 * PIECES);
    const f = [1 - 3 * s * s + 2 * s ** 3, s - 2 * s * s + s ** 3, 3 * s * s - 2 * s ** 3, s ** 3 - s * s];
    curve.push(add(add(scale(f[0], a), scale(f[1] * h, ta)), add(scale(f[2], b), scale(f[3] * h, tb))));
    const g = [-6 + 12 * s, -4 + 6 * s, 6 - 12 * s, -2 + 6 * s];
    const bend = add(add(scale(g[0], a), scale(g[1] * h, ta)), add(scale(g[2], b), scale(g[3] * h, tb)));
    moment.push((stiffness * length(bend)) / (h * h || 1));
  }
  return { curve, moment };
}
