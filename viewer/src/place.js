// Where the parts of a machine are at given poses, in world coordinates.
import { beamCurve, bowCurve } from "./beams.js";
import { add, axpy, cross, normalTo, planeAxes, sub, turn, unit } from "./vector.js";

// The world point of a point of a body, r + R (p - c), or of one that is drawn.
export function worldOf(scene, poses, at) {
  if (at.drawn) return drawnPoint(at.drawn, scene, poses);
  const { r, R } = poses[at.body];
  return add(r, turn(R, sub(at.p, scene.bodies[at.body].center)));
}

// A point whose coordinates are outputs: x, y of the plane, or x, y, z.
function drawnPoint(names, scene, poses) {
  const values = names.map((name) => (poses.output ? poses.output(name) : NaN));
  const out = [0, 0, 0];
  const axes = values.length === 2 ? planeAxes(scene.plane ?? "xy") : [0, 1, 2];
  values.forEach((x, k) => (out[axes[k]] = x));
  return out;
}

// A straight piece of a rail, as far as it is known: {p, up} of its ends.
function trackThrough(part, world, turned) {
  const [a, along, up] = [world(part.a), turned(part.a, part.along), turned(part.a, part.up)];
  return [-1, 1].map((s) => ({ p: axpy(a, s * part.length, along), up }));
}

// A part with its points in the world: a, b, half, points, axis, curve.
export function resolve(part, scene, poses) {
  const world = (at) => worldOf(scene, poses, at);
  const turned = (at, v) => turn(poses[at.body].R, v);
  switch (part.kind) {
    case "rod":
    case "coil":
    case "damper":
      return { a: world(part.a), b: world(part.b) };
    case "box":
      return { a: world(part.a), half: part.half.map((v) => turned(part.a, v)) };
    case "mesh":
      return { a: world(part.a), at: world(part.at), axes: part.axes.map((v) => turned(part.at, v)) };
    case "plate":
    case "curve":
      return { points: part.points.map(world) };
    case "pin":
      return { a: world(part.a), axis: turned(part.a, part.axis) };
    case "wheel":
    case "tyre": {
      const u = normalTo(part.axis);
      const spokes = [u, cross(part.axis, u)].map((v) => turned(part.a, v));
      return { a: world(part.a), axis: turned(part.a, part.axis), spokes };
    }
    case "bushing":
      return { a: world(part.a), b: world(part.b), axis: turned(part.a, part.axis) };
    case "rail": {
      const axis = turned(part.a, part.axis);
      const a = world(part.a);
      return { a: axpy(a, part.from, axis), b: axpy(a, part.to, axis) };
    }
    case "plane": {
      const n = turned(part.a, part.normal);
      const u = normalTo(n);
      return { a: part.middle ?? world(part.a), normal: n, u, v: unit(cross(n, u)) };
    }
    case "track":
      return { places: part.places ?? trackThrough(part, world, turned) };
    case "drawnPoint":
    case "drawnLine":
    case "drawnCircle":
      return { points: part.names.map((names) => drawnPoint(names, scene, poses)), r: part.radius ? poses.output(part.radius) : 0 };
    case "beam":
      return beamCurve(part, scene, poses);
    case "bow":
      return bowCurve(world(part.a), world(part.b), turned(part.a, part.along), turned(part.b, part.along), part.stiffness);
    default:
      return { a: world(part.a) };
  }
}
