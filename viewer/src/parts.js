// The parts of a machine: primitives whose points are fixed to bodies. Made once from the scene;
// `resolve` in place.js says where each is at given poses.
//
//   rod    {a, b, r}          a round bar between two points        {flat: true}: square ends
//   ball   {a, r}
//   box    {a, half: [3 vectors]}
//   mesh   {a, half, mesh, at, axes}  triangles of a file, in the box around them
//   plate  {points, r}        the hull of points of one body
//   coil   {a, b, r}          a spring        damper {a, b, r}
//   beam   {frame, nodes, r}  an elastic body, see beams.js
//   bow    {a, b, along, r, stiffness, of}  an elastic piece between two bodies; `of`: pieces of one beam
//   pin    {a, axis, r}       a joint that turns        support {a, r, axis}: it, on the ground
//   rail   {a, axis, from, to}  a guide       plane {a, normal, size}
//   wheel  {a, axis, r}       tyre {a, axis, r}
//   curve  {points, r}        a line of a body, on which something runs
//   track  {a, along, up, r, curve}  a rail: straight through a, or along places found later
//   drawnPoint, drawnLine, drawnCircle {names, radius}  entries of `draw`: names of outputs
//
// A point is {body, p}: p in the reference configuration. Colours are names of the theme, or the
// index of a body.
import { axpy, cross, distance, dot, length, mix, normalTo, planeAxes, scale, sub, unit } from "./vector.js";

const point = (body, p) => ({ body, p });

// ---- sizes -----------------------------------------------------------------------------------

// All points that belong to the machine, for its size.
function allPoints(scene) {
  const out = [];
  scene.bodies.forEach((body, b) => {
    if (b > 0) out.push(body.center);
    for (const p of body.shape?.points ?? []) out.push(p);
  });
  for (const j of scene.joints) {
    if (j.at && j.type !== "free") out.push(j.at);
    if (j.second) out.push(j.second.at);
  }
  for (const f of scene.forces) {
    if (f.at) out.push(f.at);
    if (f.at && f.type !== "force" && f.type !== "torque") out.push(f.to);
  }
  for (const { curves } of [...scene.joints, ...scene.forces]) for (const c of curves ?? []) out.push(...c.points);
  return out;
}

export function boundsOf(points) {
  const low = [Infinity, Infinity, Infinity];
  const high = [-Infinity, -Infinity, -Infinity];
  for (const p of points)
    for (let k = 0; k < 3; k++) {
      low[k] = Math.min(low[k], p[k]);
      high[k] = Math.max(high[k], p[k]);
    }
  return points.length ? { low, high } : { low: [-1, -1, -1], high: [1, 1, 1] };
}

// The box around the machine, found once for a scene.
const boxes = new WeakMap();
function boxOfScene(scene) {
  if (!boxes.has(scene)) boxes.set(scene, boundsOf(allPoints(scene)));
  return boxes.get(scene);
}

// The typical length of the machine: joints and thin parts are fractions of it.
export function sizeOf(scene) {
  const { low, high } = boxOfScene(scene);
  const radius = scene.bodies.reduce((most, b) => Math.max(most, b.shape && b.shape.kind !== "bar" ? b.shape.size ?? 0 : 0), 0);
  return Math.max(distance(low, high), 2 * radius) || 1;
}

// The size of a body: of its shape and of the points where something is attached.
function bodySize(scene, b) {
  const { low, high } = boundsOf([scene.bodies[b].center, ...(scene.bodies[b].shape?.points ?? []), ...attachments(scene, b)]);
  return distance(low, high);
}

// The radius of what connects two bodies: a fraction of the machine, but not much of the smaller body.
function linkSize(scene, bodies, r) {
  const sizes = bodies.filter((b) => b > 0).map((b) => (scene.bodies[b].size ??= bodySize(scene, b))).filter((x) => x > 0);
  return Math.min(r, Math.max(Math.min(...sizes) / 10, r / 6));
}

// Whether a body has the shape of a wheel there.
function hasWheel(scene, center, axis, r) {
  return scene.bodies.some(({ shape }) => {
    if (shape?.kind !== "cylinder" && shape?.kind !== "mesh") return false;
    if (shape.kind === "mesh") return distance(mix(...shape.points, 0.5), center) < r / 2;
    const along = unit(sub(shape.points[1], shape.points[0]));
    return shape.size > r / 2 && Math.abs(dot(along, axis)) > 0.9 && distance(nearestOnSegment(center, ...shape.points), center) < r / 2;
  });
}

// ---- bodies ----------------------------------------------------------------------------------

// The joints and forces of each body, found once for a scene.
const linked = new WeakMap();
function linksOf(scene, b) {
  if (!linked.has(scene)) {
    const all = scene.bodies.map(() => ({ joints: [], forces: [] }));
    for (const kind of ["joints", "forces"])
      for (const link of scene[kind]) for (const body of new Set(link.bodies ?? [])) all[body][kind].push(link);
    linked.set(scene, all);
  }
  return linked.get(scene)[b];
}

// Points of a body where something is attached.
export function attachments(scene, b) {
  const out = [];
  const { joints, forces } = linksOf(scene, b);
  const { shape } = scene.bodies[b];
  const keep = (at, j) => {
    const p = shape ? seatOf(shape, j, at) : at;
    if (!out.some((q) => distance(p, q) < 1e-9)) out.push(p);
  };
  const isDrawn = (of) => shape && of.curves?.some((c) => c.body === b); // by its curve, anywhere beside the shape
  for (const j of joints) {
    if (j.type === "free" || isDrawn(j)) continue;
    if (j.bodies[0] === b && j.type !== "rolling") keep(j.at, j);
    if (j.bodies[1] === b) keep(j.second ? j.second.at : j.at, j);
  }
  for (const f of forces) {
    if (isDrawn(f)) continue;
    if (f.bodies[0] === b && b > 0) keep(f.at);
    if (f.bodies[1] === b && f.type !== "torque") keep(f.to);
  }
  return out;
}

const nearestOnSegment = (p, a, b) => {
  const d = sub(b, a);
  const s = Math.max(0, Math.min(1, dot(sub(p, a), d) / (dot(d, d) || 1)));
  return axpy(a, s, d);
};

// The middle of a box and its edges from there.
function boxOf(shape, thin = 0) {
  const [from, to] = shape.points;
  const unitAt = (k, x) => [0, 1, 2].map((i) => (i === k ? x : 0));
  const half = shape.half ?? [0, 1, 2].map((k) => unitAt(k, Math.abs(to[k] - from[k]) / 2));
  return { middle: mix(from, to, 0.5), half: half.map((v, k) => (length(v) > 0 ? v : unitAt(k, thin))) };
}

// The point of a shape next to p: its middle line, or the box itself, which meshes have around them.
export function nearestOfShape(shape, p) {
  const q = shape.points;
  if (shape.kind === "box" || shape.kind === "mesh") {
    const { middle, half } = boxOf(shape);
    return half.reduce((at, v) => axpy(at, Math.max(-1, Math.min(1, dot(sub(p, middle), v) / (dot(v, v) || 1))), v), middle);
  }
  if (q.length === 1) return q[0];
  let best = q[0];
  for (let k = 0; k + 1 < q.length; k++) {
    const s = nearestOnSegment(p, q[k], q[k + 1]);
    if (distance(p, s) < distance(p, best)) best = s;
  }
  return best;
}

// Whether a box would hide the machine.
function isLarge(part, scene) {
  if (part.kind !== "box" || scene.plane) return false;
  const { low, high } = boxOfScene(scene);
  const [d, own] = [sub(high, low), part.half.map(length)];
  return 8 * own[0] * own[1] * own[2] > 0.08 * Math.abs(d[0] * d[1] * d[2]);
}

function shapeParts(shape, b, L) {
  const size = shape.size ?? L / 45;
  const p = shape.points;
  switch (shape.kind) {
    case "bar":
      return [{ kind: "rod", a: point(b, p[0]), b: point(b, p[1]), r: size / 2 }];
    case "cylinder":
      return [{ kind: "rod", flat: true, a: point(b, p[0]), b: point(b, p[1]), r: size }];
    case "sphere":
      return [{ kind: "ball", a: point(b, p[0]), r: size }];
    case "capsule":
      return [
        { kind: "rod", a: point(b, p[0]), b: point(b, p[1]), r: size },
        ...p.map((q) => ({ kind: "ball", a: point(b, q), r: size })),
      ];
    case "box":
    case "mesh": {
      const { middle, half } = boxOf(shape, shape.kind === "box" ? L / 60 : 0);
      const of = shape.kind === "mesh" ? { mesh: shape.mesh, at: point(b, shape.at), axes: shape.axes } : {};
      return [{ kind: shape.kind, a: point(b, middle), half, ...of }];
    }
    default:
      return p.slice(1).map((q, k) => ({ kind: "rod", a: point(b, p[k]), b: point(b, q), r: size / 2 }));
  }
}

// What a body without a shape looks like: made of the points where something is attached.
function derivedParts(scene, b, L) {
  const center = scene.bodies[b].center;
  const points = attachments(scene, b);
  const away = points.filter((p) => distance(p, center) > 1e-6 * L);
  const r = L / 70;
  if (away.length === 0) return [{ kind: "ball", a: point(b, center), r: L / 30 }];
  if (away.length === 1 && points.length === 1)
    return [
      { kind: "rod", a: point(b, away[0]), b: point(b, center), r: r * 0.7 },
      { kind: "ball", a: point(b, center), r: L / 35 },
    ];
  const all = away.length >= 2 ? away : points;
  if (all.length === 2) {
    const parts = [{ kind: "rod", a: point(b, all[0]), b: point(b, all[1]), r }];
    const foot = nearestOnSegment(center, all[0], all[1]);
    if (distance(foot, center) > L / 50)
      parts.push({ kind: "rod", a: point(b, foot), b: point(b, center), r: r * 0.6 }, { kind: "ball", a: point(b, center), r: L / 50 });
    return parts;
  }
  return [{ kind: "plate", points: all.map((p) => point(b, p)), r }];
}

// The point of a joint next to the shape of a body: joints that turn about an axis hold it anywhere on that.
export function seatOf(shape, j, p) {
  if (!["revolute", "screw", "cylindrical", "prismatic"].includes(j?.type)) return p;
  const off = (q) => distance(q, nearestOfShape(shape, q));
  const reach = shape.points.map((q) => dot(sub(q, p), j.z));
  const [low, high] = [Math.min(0, ...reach), Math.max(0, ...reach)];
  let best = p;
  for (let k = 0; k <= 20; k++) {
    const q = axpy(p, low + ((high - low) * k) / 20, j.z);
    if (off(q) < off(best) - 1e-12) best = q;
  }
  return best;
}

// Thin struts from a shape to joints that lie outside it.
function strutParts(scene, b, L) {
  const { shape } = scene.bodies[b];
  const reach = (shape.kind === "bar" || shape.kind === "polyline" ? (shape.size ?? L / 45) / 2 : shape.size ?? 0) + L / 100;
  const parts = [];
  for (const p of attachments(scene, b)) {
    const q = nearestOfShape(shape, p);
    if (distance(p, q) > reach) parts.push({ kind: "rod", strut: true, a: point(b, q), b: point(b, p), r: L / 160 });
  }
  return parts;
}

// A frame that is moved along, without mass and shape, has no picture.
function isMarker(scene, b) {
  const body = scene.bodies[b];
  return body.massless && !body.shape && !!scene.joints[body.joint]?.driven;
}

function bodyParts(scene, L) {
  const parts = [];
  const nodes = new Set(scene.bodies.map((body) => body.beam_of)); // first nodes of beams in space
  scene.bodies.forEach((body, b) => {
    if (body.node_of !== undefined || ((body.beam_of || nodes.has(b)) && !body.shape)) return; // drawn with their beams
    let own;
    if (body.beam) own = [beamPart(scene, b, L)];
    else if (body.shape) own = [...shapeParts(body.shape, b, L), ...(b > 0 ? strutParts(scene, b, L) : [])];
    else own = b > 0 && !isMarker(scene, b) ? derivedParts(scene, b, L) : [];
    for (const part of own) parts.push({ ...part, layer: "body", body: b, name: body.name, clear: isLarge(part, scene) });
  });
  return parts;
}

function beamPart(scene, b, L) {
  const { beam, shape } = scene.bodies[b];
  const [first, count] = beam.nodes;
  return { kind: "beam", frame: b, beam, first, count, r: (shape?.size ?? L / 60) / 2 };
}

// ---- joints ----------------------------------------------------------------------------------

// The guide of a sliding joint: along its axis, on the body that holds it (the ground if there).
function railParts(j, L) {
  const on = j.bodies[1] === 0 ? 1 : 0;
  const at = on === 0 || !j.second ? j.at : j.second.at;
  return [{ kind: "rail", a: point(j.bodies[on], at), slides: point(j.bodies[1 - on], at), axis: j.z, from: -L / 10, to: L / 10, r: L / 220 }];
}

// A wheel on a rail: tread and flange on the inside, where the axle points away from.
function railWheelParts(j, scene) {
  const [b, center, r] = [j.bodies[1], j.second.at, j.size];
  const axle = cross(j.second.z, j.second.x);
  const disc = (from, to, radius) => ({ kind: "rod", flat: true, a: point(b, axpy(center, from * r, axle)), b: point(b, axpy(center, to * r, axle)), r: radius, layer: "body", body: b });
  return hasWheel(scene, center, axle, r) ? [] : [disc(-0.14, 0.14, r), disc(-0.22, -0.14, 1.06 * r)];
}

// The curves of joints and forces of type `path`, in the colours of their bodies, and what runs on them.
function pathParts(of, a, scene, L, r) {
  const parts = of.curves.map(({ body, points }) => ({ kind: "curve", points: points.map((p) => point(body, p)), r: L / 220, layer: "body", body, name: scene.bodies[body].name }));
  if (of.roller === undefined) return parts;
  const wide = scale(of.roller / 4, of.z);
  const side = (sign) => point(a.body, axpy(a.p, sign, wide));
  if (of.roller > 0) parts.push({ kind: "rod", flat: true, a: side(-1), b: side(1), r: of.roller, layer: "body", body: a.body });
  return [...parts, { kind: "ball", a, r: of.roller > 0 ? Math.min(0.3 * of.roller, 0.8 * r) : 0.8 * r }];
}

function jointParts(j, scene, L) {
  const r = linkSize(scene, j.bodies, L / 75);
  const [first, second] = j.bodies;
  const a = point(second, j.second ? j.second.at : j.at);
  const onGround = first === 0 || second === 0;
  const support = onGround ? [{ kind: "support", a: point(0, j.at), r, axis: scene.plane ? null : j.z }] : [];
  switch (j.type) {
    case "revolute":
    case "screw":
      return [{ kind: "pin", a, axis: j.z, r }, ...support];
    case "cylindrical":
      return [{ kind: "pin", a, axis: j.z, r }, ...railParts(j, L)];
    case "prismatic":
    case "point-on-line":
      return [...railParts(j, L), ...(j.type === "prismatic" ? [] : [{ kind: "ball", a, r: r * 0.9 }])];
    case "spherical":
    case "universal":
    case "constant-velocity":
      return [{ kind: "ball", a, r: r * 1.25 }, ...support];
    case "rod":
      return [
        { kind: "rod", a: point(first, j.at), b: a, r: L / 140 },
        { kind: "ball", a: point(first, j.at), r: r * 0.7 },
        { kind: "ball", a, r: r * 0.7 },
      ];
    case "rolling":
      return [
        ...(scene.bodies[second].shape ? [] : [{ kind: "wheel", a, axis: j.second.z, r: j.size }]),
        { kind: "plane", a: point(first, j.at), normal: j.z, size: L },
      ];
    case "wheel-rail":
      return [...railWheelParts(j, scene), { kind: "track", a: point(first, j.at), runs: a, along: j.x, up: j.z, r: j.size, length: 0.6 * L }];
    case "planar":
    case "point-on-plane":
      return j.driven ? [] : [{ kind: "plane", a: point(first, j.at), normal: j.z, size: L / (onGround ? 3 : 10) }, { kind: "ball", a, r: r * 0.8 }];
    case "knife-edge":
      return [{ kind: "rod", flat: true, a: point(second, axpy(j.at, -L / 25, cross(j.z, [0, 0, 1]))), b: point(second, axpy(j.at, L / 25, cross(j.z, [0, 0, 1]))), r: r / 3 }];
    case "path":
      return pathParts(j, a, scene, L, r);
    case "fixed":
      return [{ kind: "box", a, half: [[r, 0, 0], [0, r, 0], [0, 0, r]] }, ...support];
    default:
      return [];
  }
}

// ---- forces ----------------------------------------------------------------------------------

// A coil of fewer turns than its length asks for looks like a rope: a long spring is wider, as far as the machine allows.
const coilRadius = (f, r, L) => Math.max(r, Math.min(distance(f.at, f.to) / 8, L / 30));

// A spring, a damper, or both side by side; in the plane with a support where it is fixed to the ground.
function springParts(f, a, b, scene, L, r) {
  const { stiffness, damping } = f.parameters;
  const coil = { kind: "coil", a, b, r: coilRadius(f, r, L) };
  const damper = { kind: "damper", a, b, r: r * (stiffness ? 0.5 : 0.8) };
  const both = stiffness && damping;
  const drawn = both ? [{ ...coil, side: -1 }, { ...damper, side: 1 }] : [damping ? damper : coil];
  const fixed = scene.plane ? [a, b].filter((end) => end.body === 0) : [];
  return [...fixed.flatMap((end) => [{ kind: "support", a: end, r: r * 0.5, axis: null }, { kind: "pin", a: end, axis: f.z, r: r * 0.5 }]), ...drawn];
}

function forceParts(f, scene, L) {
  if (!f.bodies) return [];
  const a = point(f.bodies[0], f.at);
  const b = point(f.bodies[1], f.to);
  const r = linkSize(scene, f.bodies, L / 45);
  switch (f.type) {
    case "spring":
      return springParts(f, a, b, scene, L, r);
    case "path":
      return pathParts(f, b, scene, L, r / 2);
    case "bump-stop":
      return [{ kind: "rod", a, b, r: r * 0.3 }];
    case "bushing":
      return [{ kind: "bushing", a, b, r, axis: f.z }];
    case "beam":
      return [{ kind: "bow", a, b, along: unit(sub(f.to, f.at)), r: L / 130, stiffness: f.parameters.modulus * f.parameters.inertia_z, of: scene.bodies[f.bodies[1]].beam_of ?? f.name }];
    case "contact":
      // shapes that touch are drawn with their bodies
      return [
        ...(f.plane ? [{ kind: "plane", a, normal: f.z, size: L / 2 }] : []),
        ...(scene.bodies[f.bodies[1]].shape || !f.parameters.radius ? [] : [{ kind: "ball", a: b, r: f.parameters.radius, hollow: true }]),
      ];
    case "tyre": {
      const radius = f.parameters.radius;
      const wheel = hasWheel(scene, f.to, f.axis, radius) ? [] : [{ kind: "tyre", a: b, axis: f.axis, r: radius, layer: "body", body: f.bodies[1] }];
      return [...wheel, { kind: "plane", a, normal: f.z, size: L / 2 }];
    }
    default:
      return [];
  }
}

// Planes that are drawn once, however many wheels or balls touch them.
function withoutTwins(parts) {
  const planes = [];
  return parts.filter((part) => {
    if (part.kind !== "plane") return true;
    const same = (q) => q.a.body === part.a.body && dot(q.normal, part.normal) > 1 - 1e-9 && Math.abs(dot(sub(q.a.p, part.a.p), part.normal)) < 1e-9;
    const twin = part.force ? planes.find(same) : null;
    if (!twin) planes.push(part);
    return !twin;
  });
}

// What the model draws itself, tied to outputs.
function drawnParts(scene) {
  const kinds = { point: "drawnPoint", line: "drawnLine", circle: "drawnCircle" };
  return (scene.draw ?? []).map((d, k) => ({ kind: kinds[d.kind], names: d.points, radius: d.radius, layer: "body", body: scene.bodies.length + k, name: d.name }));
}

// All parts of a scene.
export function partsOf(scene) {
  const L = sizeOf(scene);
  const parts = [...bodyParts(scene, L), ...drawnParts(scene)];
  for (const j of scene.joints) {
    if (!j.bodies) continue;
    for (const part of jointParts(j, scene, L)) parts.push({ layer: "joint", joint: j, name: j.name, ...part });
  }
  for (const f of scene.forces)
    for (const part of forceParts(f, scene, L)) parts.push({ layer: "force", force: f, name: f.name, ...part });
  return withoutTwins(parts);
}

// Points of a part that lie outermost, fixed to bodies like all its points.
export function outerPoints(part) {
  const out = [part.a, part.b, ...(part.points ?? [])].filter(Boolean);
  const around = (at, vectors) => {
    for (const v of vectors) out.push(point(at.body, axpy(at.p, 1, v)), point(at.body, axpy(at.p, -1, v)));
  };
  if (["plane", "rail", "support", "track"].includes(part.kind)) return [];
  if (part.kind === "ball") around(part.a, [[part.r, 0, 0], [0, part.r, 0], [0, 0, part.r]]);
  if (part.kind === "wheel" || part.kind === "tyre" || (part.kind === "rod" && part.flat)) {
    const axis = part.axis ?? unit(sub(part.b.p, part.a.p));
    const u = normalTo(axis);
    const discs = part.b ? [part.a, part.b] : [part.a];
    const v = cross(axis, u);
    const slanted = [axpy(u, 1, v), axpy(u, -1, v)].map((w) => scale(Math.SQRT1_2, w));
    for (const at of discs) around(at, [u, v, ...slanted].map((w) => scale(part.r, w)));
  }
  for (let k = 0; part.half && k < 8; k++) {
    const corner = part.half.reduce((p, v, i) => axpy(p, (k >> i) & 1 ? 1 : -1, v), part.a.p);
    out.push(point(part.a.body, corner));
  }
  return out;
}

// Points a person may want to follow: centres, joints, ends of shapes, with their names.
export function namedPoints(scene) {
  const out = [];
  scene.bodies.forEach((body, b) => {
    if (b === 0 || body.node_of !== undefined) return;
    out.push({ kind: "body", name: body.name, at: point(b, body.center) });
    (body.shape?.points ?? []).forEach((p, k) => {
      if (body.shape.kind !== "box" && body.shape.kind !== "mesh") out.push({ kind: "end", name: `${body.name}, end ${k + 1}`, at: point(b, p) });
    });
  });
  for (const j of scene.joints)
    if (j.bodies && j.type !== "free")
      out.push({ kind: "joint", name: j.name, joint: j, at: point(j.bodies[1], j.second ? j.second.at : j.at) });
  for (const f of scene.forces)
    if (f.bodies && f.type !== "torque") out.push({ kind: "force", name: f.name, at: point(f.bodies[1], f.to), from: point(f.bodies[0], f.at) });
  (scene.draw ?? []).forEach((d, k) => {
    const [first, last] = [d.points[0], d.points[d.points.length - 1]].map((drawn) => ({ drawn, body: scene.bodies.length + k }));
    out.push({ kind: "drawn", name: d.name, at: last, from: d.points.length > 1 ? first : undefined });
  });
  return out;
}

// The direction that is up in the picture: against gravity where that lies along an axis.
export function upOf(scene) {
  const axes = planeAxes(scene?.plane);
  const g = scene?.gravity ?? [0, 0, 0];
  const size = length(g);
  for (let k = 0; k < 3; k++)
    if (size > 0 && Math.abs(g[k]) > 0.9 * size && !(scene.plane && k === axes[2])) {
      const up = [0, 0, 0];
      up[k] = g[k] < 0 ? 1 : -1;
      return up;
    }
  const up = [0, 0, 0];
  up[scene?.plane ? axes[1] : 2] = 1;
  return up;
}
