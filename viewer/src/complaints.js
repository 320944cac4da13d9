// What is doubtful about a model: what `check` reports, and what only the picture knows.
import { attachments, boundsOf, nearestOfShape, sizeOf } from "./parts.js";
import { distance } from "./vector.js";
import { format } from "./numbers.js";

// Whether a text speaks of a name: "pin", "'pin'", or a row "pin_x" of it.
function speaksOf(text, name) {
  const escaped = name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return new RegExp(`(^|[^A-Za-z0-9_])${escaped}(_[a-z]+)?([^A-Za-z0-9_]|$)`).test(text);
}

// the joints, bodies and forces that a text names; longer names first, so that "pin_2" is not "pin"
function itemsOf(scene, text) {
  const all = [
    ...scene.joints.map((j, index) => ({ kind: "joint", index, name: j.name })),
    ...scene.bodies.slice(1).map((b, k) => ({ kind: "body", index: k + 1, name: b.name })),
    ...scene.forces.map((f, index) => ({ kind: "force", index, name: f.name })),
  ];
  const named = all.filter((item) => speaksOf(text, item.name));
  return named.filter((item) => !named.some((o) => o.name.length > item.name.length && o.name.startsWith(`${item.name}_`)));
}

// Bodies that no joint, bushing or beam holds. A free joint only gives start values a place.
export function freeBodies(scene) {
  const held = new Set();
  for (const j of scene.joints) if (j.bodies && j.type !== "free") j.bodies.forEach((b) => held.add(b));
  for (const f of scene.forces) if (f.bodies && ["bushing", "beam", "tyre"].includes(f.type)) f.bodies.forEach((b) => held.add(b));
  return scene.bodies.map((_, b) => b).filter((b) => b > 0 && !held.has(b) && scene.bodies[b].node_of === undefined);
}

// Joints and centres of mass far away from the shape they belong to.
function misplaced(scene) {
  const L = sizeOf(scene);
  const out = [];
  scene.bodies.forEach((body, b) => {
    if (b === 0 || !body.shape) return;
    const far = (p) => {
      const d = distance(p, nearestOfShape(body.shape, p)) - (body.shape.size ?? 0);
      return d > 0.15 * L ? d : 0;
    };
    const away = attachments(scene, b).map(far).filter(Boolean);
    const { low, high } = boundsOf(body.shape.points); // the middle of a bent line may lie beside it
    const inside = body.shape.kind === "polyline" && body.center.every((x, k) => x >= low[k] && x <= high[k]);
    const center = inside ? 0 : far(body.center);
    if (center) out.push({ error: false, text: `the centre of mass of '${body.name}' lies ${format(center, 2)} m outside its shape`, items: [{ kind: "body", index: b, name: body.name }] });
    if (away.length) out.push({ error: false, text: `a joint or force of '${body.name}' lies ${format(Math.max(...away), 2)} m outside its shape`, items: [{ kind: "body", index: b, name: body.name }] });
  });
  return out;
}

export function complaintsOf(run) {
  const { scene } = run;
  const reported = (run.data.problems ?? []).map((p) => ({ ...p, items: itemsOf(scene, p.text) }));
  const unsaid = (b) => !reported.some((r) => speaksOf(r.text, scene.bodies[b].name));
  const free = freeBodies(scene).filter(unsaid).map((b) => ({ error: false, text: `'${scene.bodies[b].name}' moves freely: no joint holds it`, items: [{ kind: "body", index: b, name: scene.bodies[b].name }] }));
  return [...reported, ...free, ...misplaced(scene)];
}

// Bodies that are not where the file describes them: start values or the assembly have moved them.
export function movedBodies(run) {
  const L = sizeOf(run.scene);
  const poses = run.posesAt(0);
  return run.scene.bodies
    .map((body, b) => ({ body, b, shift: distance(poses[b].r, body.center), turn: Math.acos(Math.min(1, Math.max(-1, (poses[b].R[0] + poses[b].R[4] + poses[b].R[8] - 1) / 2))) }))
    .filter(({ b, shift, turn }) => b > 0 && (shift > 1e-5 * L || turn > 1e-5));
}
