#!/usr/bin/env node
// `trammel view MODEL`: what is wrong with a model is coloured, and named in the report; pictures without a window.
// Usage: check_model.mjs PATH-OF-TRAMMEL
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, finish, near, root, startBrowser, workshop } from "./browser.mjs";

const shop = workshop(process.argv[2]);
const broken = (name) => join(root, "tests/view/models", `${name}.yaml`);

// file: exit code, what is coloured, what the report says
const cases = {
  "missing-joint": [0, ["coupler"], /no joint holds body 'coupler'/, "assembled, 1 complaint"],
  "out-of-place": [0, ["rocker"], /joint or force of 'rocker' lies 0\.4 m outside its shape|joint or force of 'rocker' lies 0\.38 m/, "assembled, 1 complaint"],
  flipped: [0, ["elbow", "hinge"], /start angle hinge = -2 does not fit/, "assembled, 2 complaints"],
  apart: [4, ["tie", "top"], /tie_length is off by 0\.96 m/, "cannot be assembled"],
};
const browser = await startBrowser();
for (const [name, [code, coloured, said, badge]] of Object.entries(cases)) {
  const { status, stderr } = shop.result("view", broken(name), "-o", `${name}.html`, "--quiet");
  expect(status === code, `${name}: exit code ${status} instead of ${code}: ${stderr}`);
  const page = await browser.open(shop.url(`${name}.html`));
  const alarmed = await page.evaluate(() => [...trammel.stage.alarmed].sort());
  expect(JSON.stringify(alarmed) === JSON.stringify(coloured), `${name}: coloured are ${alarmed}`);
  expect((await page.evaluate(() => trammel.stage.machines[0].parts.filter((p) => p.alarm).length)) > 0, `${name}: no part is coloured`);
  expect(said.test(await page.textContent(".report")), `${name}: the report says ${await page.textContent(".report")}`);
  expect((await page.textContent(".badge")) === badge, `${name}: the badge says ${await page.textContent(".badge")}`);
  if (name === "flipped") expect(await page.evaluate(() => trammel.stage.show.ghost), "the machine of the file is shown too");
  await page.close();
}

// ---- wheels, rails, roads, meshes and cams ----

const partsOf = async (path, row, ...set) => {
  shop.run("run", path, "--quiet", "--no-verify", "--out", ".", ...set.flatMap((x) => ["--set", x]));
  shop.run("view", path.replace(/.*\/|\.yaml$/g, "") + ".h5", "-o", "parts.html", "--quiet");
  const page = await browser.open(shop.url("parts.html"));
  const parts = await page.evaluate((k) => {
    const { run, parts: all } = trammel.stage.machines[0];
    const poses = run.posesAt(k === "last" ? run.time.length - 1 : k);
    const world = ({ body, p }) => trammel.stage.worldOf.call({ main: { scene: run.scene, poses } }, { at: { body, p } });
    return all.map((p) => ({ kind: p.kind, layer: p.layer, r: p.r, a: p.a && world(p.a), b: p.b && world(p.b), first: p.places?.[1].p, last: p.places?.at(-2).p, ends: p.places && [p.places[0].p, p.places.at(-1).p], axes: p.axes, mesh: p.mesh }));
  }, row);
  await page.close();
  return parts;
};

// The train of examples/vehicles: four wheelsets of radius 0.46 m on rails 1.5 m apart. Each rail lies from where the wheel begins to where it is at
// the end, straight on for the first 50 m (the line bends then): 0.2 s at 20 m/s, 4 m.
const train = await partsOf(join(root, "examples/vehicles/train.yaml"), "last", "simulate.end=0.2", "simulate.output_interval=0.05");
const rails = train.filter((p) => p.kind === "track");
const treads = train.filter((p) => p.kind === "rod" && p.layer === "body" && p.r === 0.46);
expect(rails.length === 8 && treads.length === 8, `${rails.length} rails and ${treads.length} wheels of the train`);
for (const rail of rails) {
  near(Math.abs(rail.first[1]), 0.75, 1e-6, "a rail beside the middle of the track");
  near(rail.last[0] - rail.first[0], 4, 1e-4, "length of a rail");
  expect(rail.ends[0][0] < rail.first[0] - 1 && rail.ends[1][0] > rail.last[0] + 1, `a rail goes on behind and before its wheel: from ${rail.ends}`);
}
for (const wheel of treads) {
  const middle = wheel.a.map((x, k) => (x + wheel.b[k]) / 2);
  expect(rails.some((r) => Math.hypot(r.last[0] - middle[0], r.last[1] - middle[1]) < 2e-3 && Math.abs(r.last[2] + 0.46 - middle[2]) < 2e-3), `a wheel at ${middle} stands on no rail`);
}

// a tyre on a body without shape is drawn, with its road; one whose wheel has a shape is not
const tyre = (shape) => `trammel: 1
mechanism:
  gravity: [0, 0, -9.81]
  bodies: {hub: {mass: 40, center: [0, 0, 0.3], inertia: [1, 2, 1]${shape}}}
  joints: {place: {free: {between: [ground, hub]}}}
  forces: {tyre: {tyre: {between: [ground, hub], center: [0, 0, 0.3], radius: 0.31, stiffness: 2e5, law: {calspan: {A0: 2625, A1: 14.47, A2: 12930, A3: 2.29, A4: 18175, B1: -0.464e-4, B3: 1.216, B4: 2.18e-11}}}}}
simulate: {end: 0.01}
`;
for (const [shape, tyres] of [["", 1], [", shape: {cylinder: {from: [0, -0.1, 0.3], to: [0, 0.1, 0.3], radius: 0.31}}", 0]]) {
  writeFileSync(join(shop.folder, "wheel.yaml"), tyre(shape));
  const parts = await partsOf("wheel.yaml", 0);
  const drawn = parts.filter((p) => p.kind === "tyre");
  expect(drawn.length === tyres && drawn.every((p) => p.r === 0.31), `tyres of a wheel ${shape || "without shape"}: ${JSON.stringify(drawn)}`);
  expect(parts.filter((p) => p.kind === "plane").length === 1, "one road");
}

// three blades from one file, 120 degrees apart
const blades = (await partsOf(join(root, "examples/mechanisms/fan.yaml"), 0, "simulate.end=0.1")).filter((p) => p.kind === "mesh");
expect(blades.length === 3 && blades.every((p) => p.mesh === 0), `${blades.length} blades`);
blades.forEach(({ axes }, k) => near(axes[0][0], Math.cos((2 * Math.PI * k) / 3), 1e-12, `the direction of blade ${k}`));

// A roller of radius 0.01 on an eccentric cam: at every row its rim touches the curve, whose points lie 0.0008 m apart at most (48 points of a circle
// of radius 0.05, 8 pieces between two), a chord 2e-6 m inside it. Its body is drawn with it.
const camPoints = Array.from({ length: 48 }, (_, k) => [0.05 * Math.cos((2 * Math.PI * k) / 48), 0.02 + 0.05 * Math.sin((2 * Math.PI * k) / 48)]);
for (const [kind, law] of [["joints", ""], ["forces", ", stiffness: 1e7"]]) {
  const other = kind === "joints" ? "" : "  forces: {roll: PATH}\n";
  const text = `trammel: 1
mechanism:
  plane: xy
  gravity: [0, -9.81]
  bodies: {cam: {mass: 1, center: [0, 0], inertia: 0.001}, follower: {mass: 0.3, center: [0, 0.2], inertia: 0.001}}
  joints:
    shaft: {revolute: {between: [ground, cam], at: [0, 0]}, motion: "3*t"}
    guide: {prismatic: {between: [ground, follower], at: [0, 0.2], axis: y}}
${kind === "joints" ? "    roll: PATH\n" : other}simulate: {end: 1, tolerance: 1e-5}
`.replace("PATH", `{path: {between: [cam, follower], path: ${JSON.stringify(camPoints)}, closed: true, radius: 0.01, at: [0, 0.08]${law}}}`);
  writeFileSync(join(shop.folder, "roller.yaml"), text);
  shop.run("run", "roller.yaml", "--quiet", "--no-verify");
  shop.run("view", "roller.h5", "--quiet");
  const page = await browser.open(shop.url("roller.html"));
  const off = await page.evaluate(() => {
    const { run, parts } = trammel.stage.machines[0];
    const [curve, roller] = [parts.find((p) => p.kind === "curve"), parts.find((p) => p.kind === "rod" && p.flat)];
    let worst = 0;
    for (let k = 0; k < run.time.length; k += 50) {
      const poses = run.posesAt(k);
      const world = (at) => trammel.stage.worldOf.call({ main: { scene: run.scene, poses } }, { at });
      const [x, y] = world(roller.a);
      const gap = Math.min(...curve.points.map(world).map((p) => Math.hypot(p[0] - x, p[1] - y))) - roller.r;
      worst = Math.max(worst, Math.abs(gap));
    }
    return { worst, bodies: [curve.body, roller.body], r: roller.r };
  });
  expect(off.bodies.join() === "1,2" && off.r === 0.01, `what is drawn of a path among ${kind}: ${JSON.stringify(off)}`);
  // half of 0.0008 m beside the nearest point, 0.01 m away: 0.0004^2/(2*0.01) = 8e-6; the force of Hertz gives way by
  // (2.9 N/1e7)^(2/3) = 4.4e-5 m, twice that after the start
  near(off.worst, 0, kind === "joints" ? 2e-5 : 1e-4, `the gap between roller and cam, ${kind}`);
  await page.close();
}

// ---- modes: each has its picture, and keys act on the one that is shown, once; a browser keeps some 16 drawings with WebGL ----

shop.run("modes", join(root, "examples/mechanisms/double-wishbone.yaml"), "--view", "modes.html", "--quiet");
const modes = await browser.open(shop.url("modes.html"));
const theme = () => modes.evaluate(() => document.documentElement.dataset.theme);
const rows = await modes.evaluate(() => document.querySelectorAll(".modes tbody tr").length);
expect(rows > 1, `${rows} modes in the list`);
const first = await modes.evaluate(() => document.querySelector(".modes tr.chosen").cells[1].textContent);
near(Number(first), 0.947, 1e-3, "the mode that is shown first swings: that of `trammel modes`, in Hz");
for (let k = 0; k < 20; k++) await modes.evaluate((n) => document.querySelectorAll(".modes tbody tr")[n].click(), k % rows);
const before = await theme();
await modes.keyboard.press("d");
expect((await theme()) !== before, "d changes the theme after other modes were shown");
await modes.keyboard.press("?");
expect(await modes.evaluate(() => document.querySelectorAll("dialog[open]").length === 1), "the list of keys");
await modes.keyboard.press("Escape");
expect(await modes.evaluate(() => trammel.clock.playing), "a mode swings");
await modes.close();

await browser.close();

const drawnPath = join(root, "examples/bouncing-ball.yaml");
const drawn = shop.result("view", drawnPath, "-o", "ball.html", "--quiet");
expect(drawn.status === 0, `a model of equations with drawings: ${drawn.status} ${drawn.stderr}`);
const equations = shop.result("view", join(root, "examples/motor.yaml"));
expect(equations.status === 2 && /no machine to draw/.test(equations.stderr), `equations: ${equations.status} ${equations.stderr}`);

const shown = shop.result("view", broken("missing-joint"), "--png", "0", "--show", "names,nonsense");
expect(shown.status === 2 && /--show takes names, .* not 'nonsense'/.test(shown.stderr), `--show: ${shown.status} ${shown.stderr}`);

// a picture: a PNG of the size that was asked for (its header has it at byte 16)
shop.run("view", broken("missing-joint"), "--png", "t=0", "--size", "320x200", "-o", "small.png", "--quiet");
const png = readFileSync(join(shop.folder, "small.png"));
expect(png.subarray(1, 4).toString() === "PNG", "a PNG file");
near(png.readUInt32BE(16), 320, 0, "its width");
near(png.readUInt32BE(20), 200, 0, "its height");
const wrong = shop.result("view", broken("missing-joint"), "--png", "soon");
expect(wrong.status === 2 && /--png takes a time like t=0\.5/.test(wrong.stderr), `a wrong time: ${wrong.status} ${wrong.stderr}`);
process.env.TRM_BROWSER = "/no/such/browser";
const none = shop.result("view", broken("missing-joint"), "--png", "t=0");
expect(none.status === 5 && /no browser/.test(none.stderr) && /TRM_BROWSER/.test(none.stderr), `without a browser: ${none.status} ${none.stderr}`);
finish();
