// The side of a page that shows a model: what is wrong, the tree, the cuts.
import { element } from "./dom.js";
import { format } from "./numbers.js";
import { movedBodies } from "./complaints.js";

// the joint by which a body hangs in the tree, and on what
function treeOf(scene) {
  const parent = new Map();
  scene.bodies.forEach((body, b) => {
    const joint = scene.joints[body.joint];
    if (joint) parent.set(b, { on: joint.bodies[joint.bodies[1] === b ? 0 : 1], joint });
  });
  return parent;
}

function depth(parent, b) {
  let n = 0;
  for (let at = b; parent.has(at) && n < 1000; at = parent.get(at).on) n++;
  return n;
}

function treeList(scene, pick) {
  const parent = treeOf(scene);
  const rows = [];
  scene.bodies.forEach((body, b) => {
    if (b === 0 || body.node_of !== undefined || rows.length >= 300) return;
    const up = parent.get(b);
    const text = up ? ` on ${scene.bodies[up.on].name} by ${up.joint.name} (${up.joint.type})` : " moves freely";
    rows.push(element("li", { style: `padding-left: ${1.1 * Math.max(0, depth(parent, b) - 1)}em`, onmouseenter: () => pick(body.name) }, element("b", {}, body.name), text));
  });
  return element("ul.tree", { onmouseleave: () => pick(null) }, ...rows);
}

function problemList(complaints, pick) {
  if (!complaints.length) return element("p.fine", {}, "Nothing to complain about.");
  const rows = complaints.map((c) =>
    element(`li.${c.error ? "bad" : "warn"}`, { onmouseenter: () => pick(c.items[0]?.name) }, `${c.line ? `line ${c.line}: ` : ""}${c.text}`),
  );
  return element("ul.problems", { onmouseleave: () => pick(null) }, ...rows);
}

export function report(run, complaints, pick) {
  const { scene } = run;
  const { facts } = run.data;
  const cuts = scene.joints.filter((j) => j.cut);
  const moved = movedBodies(run);
  const section = (title, ...content) => element("section.panel", {}, element("h2", {}, title), ...content);
  const numbers = facts ? `${facts.coordinates} coordinates, ${facts.constraints} constraints of rank ${facts.rank}: mobility ${facts.mobility}` : "not assembled: bodies stand where the file describes them";
  return element(
    "section.curves.report", { "aria-label": "Report" },
    section("Check", element("p", {}, numbers), problemList(complaints, pick)),
    scene.bodies.length > 1 ? section("Tree", treeList(scene, pick)) : null,
    cuts.length ? section("Cuts", element("p", {}, cuts.map((j) => `${j.name} (${j.type})`).join(", "))) : null,
    moved.length
      ? section("Moved by start values and assembly", element("ul.tree", {}, ...moved.slice(0, 100).map(({ body, shift, turn }) => element("li", { onmouseenter: () => pick(body.name) }, element("b", {}, body.name), ` by ${format(shift, 3)} m, ${format((turn * 180) / Math.PI, 3)}°`))), element("p", {}, "The faint machine is the one of the file."))
      : null,
  );
}
