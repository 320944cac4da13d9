#!/usr/bin/env node
// The page of `trammel view` in a real browser. Usage: check_page.mjs PATH-OF-TRAMMEL
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, finish, near, root, startBrowser, workshop } from "./browser.mjs";

const shop = workshop(process.argv[2]);
const mechanism = (name) => join(root, "examples/mechanisms", name);
shop.run("run", mechanism("slider-crank.yaml"), "--csv", "--quiet", "--set", "simulate.end=0.5");
shop.run("view", "slider-crank.h5", "-o", "crank.html", "--quiet");
shop.run("run", mechanism("gyroscope.yaml"), "--csv", "--quiet", "--set", "simulate.end=0.5");
shop.run("view", "gyroscope.h5", "--quiet");
const table = shop.csv("slider-crank.csv");
const browser = await startBrowser();

// ---- a plane machine: time, scene, curves, keys ----

const page = await browser.open(shop.url("crank.html"));
const state = () => page.evaluate(() => ({ t: trammel.clock.t, playing: trammel.clock.playing, shown: document.querySelector(".time").textContent }));

await page.keyboard.press(" ");
await page.waitForFunction(() => trammel.clock.t > 0.01);
expect((await state()).playing, "the space bar plays");
await page.keyboard.press(" ");
const stopped = await state();
expect(!stopped.playing, "and pauses");
await page.click("button.play");
await page.waitForFunction((t) => trammel.clock.t !== t, stopped.t);
await page.click("button.play");

// the slider in the middle is the middle of the run, and its text says so
await page.$eval("input.scrub", (e) => {
  e.value = e.max / 2;
  e.dispatchEvent(new Event("input"));
});
near((await state()).t, 0.25, 1e-9, "time of the slider");
near(parseFloat((await state()).shown), 0.25, 1e-3, "time shown");

// The pin of the crank: at (r cos, r sin) of the shaft's angle in the table, r = 0.15 of the model.
// Poses are stored with 2^20 levels: the angle, with a range of 20 rad here, to 2e-5.
const rows = table.t.length;
for (const row of [0, 57, Math.floor(rows / 2), rows - 1]) {
  const [tip, t] = await page.evaluate((k) => {
    trammel.clock.set(trammel.runs[0].time[k]);
    const pin = trammel.stage.points.find((p) => p.name === "pin");
    return [trammel.stage.worldOf(pin), trammel.clock.t];
  }, row);
  near(t, table.t[row], 1e-9, `time of row ${row}`);
  near(tip[0], 0.15 * Math.cos(table["position/shaft_angle"][row]), 1e-5, `x of the pin in row ${row}`);
  near(tip[1], 0.15 * Math.sin(table["position/shaft_angle"][row]), 1e-5, `y of the pin in row ${row}`);
}

// every curve on the page against the table: to 1/65536 of its range, half a level of rounding
for (const id of ["output/stroke", "reaction/wrist_fx", "energy/total"]) {
  const values = await page.evaluate((one) => Array.from(trammel.runs[0].channel(one).values), id);
  const wanted = table[id.split("/")[1]] ?? table[id];
  const range = Math.max(...wanted) - Math.min(...wanted);
  const worst = Math.max(...wanted.map((x, k) => Math.abs(x - values[k])));
  expect(values.length === rows && worst <= range / 65536, `${id}: off by ${worst} of ${range}`);
}
const drawn = await page.evaluate(() => trammel.curves.panels[0].plot.data[1].length);
expect(drawn === rows, `the first panel draws ${drawn} of ${rows} rows`);

await page.keyboard.press("Home");
await page.keyboard.press("ArrowRight");
await page.keyboard.press("ArrowRight");
near((await state()).t, table.t[2], 1e-9, "two rows on by the keyboard");
await page.keyboard.press("End");
near((await state()).t, 0.5, 1e-9, "the end by the keyboard");
// slow pictures: less is drawn while it plays, the page says so, and all is there again when it stands still
const thinned = await page.evaluate(() => {
  const { stage, clock } = trammel;
  const state = () => [stage.detail.level, stage.thinned.textContent, stage.thinned.hidden];
  const pictures = (ms) => {
    for (let k = 0; k < 20; k++) stage.passed(ms);
    stage.draw();
    return state();
  };
  const { levels } = stage.detail;
  stage.detail.levels = 8; // of a machine of many parts
  stage.detail.reset();
  clock.playing = true; // without a picture of its own in between
  const [slow, fast] = [pictures(51), pictures(49)];
  clock.playing = false;
  stage.draw();
  return { slow, fast, still: state(), levels };
});
expect(thinned.levels === 1, "a small machine keeps its bodies, however slow the computer is");
delete thinned.levels;
const simpler = [2, "simpler while it plays: every 2nd body, no joints and forces", false];
expect(JSON.stringify(thinned) === JSON.stringify({ slow: simpler, fast: simpler, still: [0, "", true] }), `pictures of 51 ms, then of 49, then none: ${JSON.stringify(thinned)}`);
await page.keyboard.press("n");
expect(await page.evaluate(() => trammel.stage.show.names), "n shows names");

// a click into a curve sets the time
const box = await (await page.$(".u-over")).boundingBox();
await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
near((await state()).t, 0.25, 0.02, "time of a click in the middle of a panel");
// dragging zooms every panel, a double click shows all again
await page.mouse.move(box.x + box.width * 0.2, box.y + 50);
await page.mouse.down();
await page.mouse.move(box.x + box.width * 0.4, box.y + 60, { steps: 4 });
await page.mouse.up();
const zoomed = await page.evaluate(() => trammel.curves.panels.map((p) => p.plot.scales.x.max - p.plot.scales.x.min));
expect(zoomed.every((x) => Math.abs(x - 0.1) < 0.02), `panels show ${zoomed} s after zooming`);
// out of it again before a picture was drawn: no error of a plot that is still to come
await page.evaluate(() => {
  trammel.curves.zoom([0.1, 0.2]);
  trammel.curves.zoom(null);
});
const whole = await page.evaluate(() => trammel.curves.panels.map((p) => p.plot.scales.x.max - p.plot.scales.x.min));
expect(whole.every((x) => Math.abs(x - 0.5) < 0.02), `panels show ${whole} s after zooming out`);
// numbers beside the time axis: all different, however short or late the run is, the last with the unit
const beside = await page.evaluate(() => {
  const { axes } = trammel.curves.panels[0].plot;
  const at = (start, step) => axes[0].values(null, [0, 1, 2, 3].map((k) => start + k * step), 0, 50, step);
  return [at(0, 2e-10), at(1e9, 0.5), at(0, 0.25), at(-4e5, 2e5)];
});
expect(JSON.stringify(beside) === '[["0","2e-10","4e-10","6e-10 s"],["1000000000","1000000000.5","1000000001","1000000001.5 s"],["0","0.25","0.5","0.75 s"],["-4e5","-2e5","0","2e5 s"]]', `numbers beside an axis: ${JSON.stringify(beside)}`);
// numbers of many digits have space beside their axis
const widths = await page.evaluate(() => {
  const { plot } = trammel.curves.panels[0];
  const { axes } = plot;
  return ["1", "149.999996", "2.031035e-10"].map((text) => axes[1].size(plot, [text], 1, 0));
});
expect(widths[0] === 58 && widths[1] > 65 && widths[2] > widths[1], `widths beside an axis: ${widths}`);
await page.close();

// a link with a time in it
const linked = await browser.open(`${shop.url("crank.html")}#t=0.125`);
near(await linked.evaluate(() => trammel.clock.t), 0.125, 1e-12, "time of the link");
// the line at this time in the curves: a quarter of the way
await linked.waitForFunction(() => !document.querySelector(".now").hidden);
const line = await linked.evaluate(() => {
  const [now, over] = [".now", ".u-over"].map((s) => document.querySelector(s).getBoundingClientRect());
  return (now.left + 1 - over.left) / over.width;
});
near(line, 0.25, 0.01, "place of the line in the curves");
await linked.close();

// ---- narrow and dark ----

const narrow = await browser.open(shop.url("crank.html"), { width: 400, height: 800, dark: true });
// the page itself, and everything in its head
const wide = () => narrow.evaluate(() => Math.max(document.documentElement.scrollWidth, ...Array.from(document.querySelectorAll("header *, footer *"), (e) => e.getBoundingClientRect().right)));
expect((await wide()) <= 400, `at 400 px the page is ${await wide()} px wide`);
await narrow.evaluate(() => (document.querySelector("h1").textContent = "A name that is much too long for a page of this width"));
expect((await wide()) <= 400, `with a long name the page is ${await wide()} px wide`);
const covered = await narrow.evaluate(() => document.querySelector(".toolbar").getBoundingClientRect().bottom > document.querySelector("canvas.machine").getBoundingClientRect().top + 1);
expect(!covered, "at 400 px the buttons are above the machine, not on it");
const paper = await narrow.evaluate(() => getComputedStyle(document.body).backgroundColor);
expect(paper.match(/\d+/g).slice(0, 3).every((c) => Number(c) < 80), `dark page has background ${paper}`);
await narrow.close();

// ---- fingers ----

// Moves fingers from their first to their last places in ten steps; `fingers`: [[x, y], [x, y]] of each.
async function touch(of, fingers) {
  const cdp = await of.context().newCDPSession(of);
  const send = (type, s) => cdp.send("Input.dispatchTouchEvent", { type, touchPoints: type === "touchEnd" ? [] : fingers.map(([a, b], id) => ({ id, x: a[0] + s * (b[0] - a[0]), y: a[1] + s * (b[1] - a[1]) })) });
  await send("touchStart", 0);
  for (let k = 1; k <= 10; k++) await send("touchMove", k / 10);
  await send("touchEnd", 1);
  await cdp.detach();
}
const middleOf = async (of, selector) => {
  const { x, y, width, height } = await (await of.$(selector)).boundingBox();
  return [x + width / 2, y + height / 2];
};
const hand = await browser.open(shop.url("crank.html"), { width: 400, height: 800, touch: true });
const [cx, cy] = await middleOf(hand, "canvas.machine");
const seen = () => hand.evaluate(() => ({ pixels: trammel.stage.renderer.camera.pixels, origin: trammel.stage.renderer.project([0, 0, 0]), scroll: scrollY }));
const first = await seen();
await touch(hand, [[[cx, cy], [cx + 60, cy + 30]]]);
const dragged = await seen();
near(dragged.origin[0] - first.origin[0], 60, 1, "a finger shifts the machine to the right");
near(dragged.origin[1] - first.origin[1], 30, 1, "and down");
expect(dragged.scroll === first.scroll, "and does not scroll the page");
await touch(hand, [[[cx - 40, cy], [cx - 80, cy]], [[cx + 40, cy], [cx + 80, cy]]]);
near((await seen()).pixels / first.pixels, 2, 0.02, "two fingers that go twice as far apart make it twice as large");
const [sx, sy] = await middleOf(hand, "input.scrub");
await hand.touchscreen.tap(sx, sy);
near(await hand.evaluate(() => trammel.clock.t), 0.25, 0.02, "a tap in the middle of the slider");
await hand.tap("button.play");
await hand.waitForFunction(() => trammel.clock.playing);
await hand.close();
const orbit = await browser.open(shop.url("gyroscope.html"), { touch: true });
const eye = () => orbit.evaluate(() => {
  const { camera, controls } = trammel.stage.renderer;
  const d = camera.position.clone().sub(controls.target);
  return { distance: d.length(), direction: d.normalize().toArray() };
});
const [ox, oy] = await middleOf(orbit, "canvas.machine");
const start = await eye();
await touch(orbit, [[[ox, oy], [ox + 80, oy]]]);
const turned = await eye();
near(turned.distance / start.distance, 1, 1e-6, "a finger turns the machine in space, as far away as before");
expect(turned.direction.reduce((c, x, k) => c + x * start.direction[k], 0) < 0.99, `a finger turns it: ${turned.direction}`);
await touch(orbit, [[[ox - 40, oy], [ox - 80, oy]], [[ox + 40, oy], [ox + 80, oy]]]);
expect((await eye()).distance < 0.7 * start.distance, "two fingers bring it nearer");
await orbit.close();

// ---- in space, with and without WebGL ----

const painted = () => {
  const shot = document.createElement("canvas");
  const { canvas } = trammel.stage.renderer;
  [shot.width, shot.height] = [canvas.width, canvas.height];
  const pen = shot.getContext("2d");
  pen.drawImage(canvas, 0, 0);
  const { data } = pen.getImageData(0, 0, shot.width, shot.height);
  const seen = new Set();
  for (let k = 0; k < data.length; k += 4) if (data[k + 3] > 128) seen.add((data[k] >> 4) * 256 + (data[k + 1] >> 4) * 16 + (data[k + 2] >> 4));
  return seen.size;
};
const space = await browser.open(shop.url("gyroscope.html"));
expect(await space.evaluate(() => trammel.stage.renderer.constructor.name !== undefined && !!trammel.stage.renderer.renderer), "WebGL is used in space");
expect((await space.evaluate(painted)) > 20, "the machine in space is shaded in many colours");
await space.close();
const none = await browser.open(shop.url("gyroscope.html"), {
  script: () => {
    const get = HTMLCanvasElement.prototype.getContext;
    HTMLCanvasElement.prototype.getContext = function (kind, ...rest) {
      return kind.startsWith("webgl") ? null : get.call(this, kind, ...rest);
    };
  },
});
expect((await none.evaluate(painted)) > 3, "without WebGL the machine is drawn all the same");
expect((await none.evaluate(() => trammel.curves.panels.length)) > 2, "and its curves");
await none.close();

// ---- a name that could end a script, and a result without a machine ----

writeFileSync(
  join(shop.folder, "odd.yaml"),
  `trammel: 1
name: "</script><script>window.broken = 1</script> & <b>"
equations: {coordinates: {x: v}, mass: [1], force: ["-x"]}
initial: {values: {x: 1}}
simulate: {end: 1}
`,
);
shop.run("run", "odd.yaml", "--quiet");
shop.run("view", "odd.h5", "--quiet");
const odd = await browser.open(shop.url("odd.html"));
expect(await odd.evaluate(() => window.broken === undefined), "a name does not run as a script");
expect((await odd.textContent("h1")) === "</script><script>window.broken = 1</script> & <b>", "the name is shown as it is");
expect(await odd.evaluate(() => trammel.stage === null && trammel.curves.panels.length > 0), "equations have curves");
await odd.close();

// ---- sensitivities: panels of their own, for each parameter and unit ----

writeFileSync(join(shop.folder, "pendulum.yaml"), `trammel: 1
parameters: {length: 1, grav: 9.81}
equations: {coordinates: {phi: omega}, mass: ["length^2"], force: ["-grav*length*sin(phi)"]}
initial: {values: {phi: 1}}
simulate: {end: 1}
outputs: {angle: phi, speed: "length*omega"}
units: {phi: rad, angle: rad, speed: m/s}
`);
shop.run("run", "pendulum.yaml", "--quiet", "--no-verify", "--sensitivity", "grav,length");
shop.run("view", "pendulum.h5", "--quiet");
const sensitive = await browser.open(shop.url("pendulum.html"));
const derived = await sensitive.evaluate(() => trammel.curves.panels.filter((p) => p.title?.startsWith("Sens")).map((p) => [p.title, p.ids.join(), p.head.textContent]));
expect(derived.some(([title, ids, text]) => title === "Sensitivity to length" && ids.split(",").includes("sensitivity/length/output/angle") && text.includes("∂angle/∂length")), `panels of sensitivities: ${JSON.stringify(derived)}`);
expect(derived.some(([title]) => title === "Sensitivity to grav"), "panels for each parameter");
await sensitive.close();
shop.run("plot", "pendulum.h5", "--quiet", "-o", "pendulum.svg");
const overview = readFileSync(join(shop.folder, "pendulum.svg"), "utf8");
expect(["d angle/d grav", "d angle/d length"].every((text) => overview.includes(text)), "an overview has the sensitivities");

// ---- steps that events cut short: their times never go back; what a drawing is made of is not a curve ----

shop.run("run", join(root, "examples/bouncing-ball.yaml"), "--quiet", "--no-verify", "--csv");
shop.run("view", "bouncing-ball.h5", "--quiet");
const ends = shop.csv("bouncing-ball-steps.csv").t;
expect(ends.length > 10 && ends.every((t, k) => k === 0 || t >= ends[k - 1]), `times of the steps: ${ends}`);
const ball = await browser.open(shop.url("bouncing-ball.html"));
const outputs = await ball.evaluate(() => trammel.curves.panels.flatMap((p) => p.ids).filter((id) => id.startsWith("output/")));
expect(outputs.join() === "output/next_height", `outputs of a ball that is drawn: ${outputs}`);
await ball.close();

// ---- reactions of a machine with a beam, whose pieces have no channels: those of the joints as they are in the table ----

shop.run("run", mechanism("flexible-slider-crank.yaml"), "--quiet", "--no-verify", "--csv", "--set", "simulate.end=0.1");
shop.run("view", "flexible-slider-crank.h5", "--quiet");
const bent = await browser.open(`${shop.url("flexible-slider-crank.html")}#show=reactions`);
const held = await bent.evaluate(() => trammel.stage.reactions.list.map(({ item, force }) => [item.name, force(40)]));
const forces = shop.csv("flexible-slider-crank.csv");
expect(held.map(([name]) => name).join() === "shaft,pin,wrist,guide", `joints with reactions: ${held}`);
for (const [name, force] of held)
  for (const [k, x] of ["x", "y"].entries()) {
    const wanted = forces[`${name}_f${x}`];
    near(force[k], wanted[40], (Math.max(...wanted) - Math.min(...wanted)) / 65536, `reaction ${name}_f${x}`);
  }
await bent.close();

// ---- drawings of equations ----

const pendulum = (draw) => `trammel: 1
name: Drawn pendulum
equations: {coordinates: {x: v, y: w}, mass: [1, 1], force: [0, -9.81], constraints: {rod: "(x^2 + y^2 - 1)/2"}}
initial: {values: {x: 1}}
draw: ${draw}
simulate: {end: 1}
`;
writeFileSync(join(shop.folder, "drawn.yaml"), pendulum('{arm: {line: [[0, 0], [x, y]]}, bob: {circle: [x, y], radius: "0.05 + 0.05*x^2"}, top: {point: [0, 0]}}'));
shop.run("run", "drawn.yaml", "--quiet", "--csv", "--no-verify");
shop.run("view", "drawn.h5", "--quiet");
const drawing = await browser.open(shop.url("drawn.html"));
const motion = shop.csv("drawn.csv");
for (const k of [0, 100, 500]) {
  const got = await drawing.evaluate((row) => {
    const run = trammel.runs[0];
    trammel.clock.set(run.time[row]);
    const poses = run.posesAt(row);
    return trammel.stage.machines[0].parts.map((p) => [p.kind, p.names.map((names) => names.map((n) => poses.output(n))), p.radius ? poses.output(p.radius) : 0]);
  }, k);
  expect(got.map(([kind]) => kind).join() === "drawnLine,drawnCircle,drawnPoint", `what is drawn: ${JSON.stringify(got)}`);
  near(got[0][1][1][0], motion["arm_2_x"][k], 2e-5, "the end of the arm"); // 1/65536 of its range
  near(got[1][1][0][1], motion["bob_y"][k], 2e-5, "the bob");
  near(got[1][2], 0.05 + 0.05 * motion["bob_x"][k] ** 2, 2e-5, "the radius of the bob");
}
// the bob is where its pixel is coloured: the overlay shows the centre at the projected place
const colour = await drawing.evaluate(() => {
  trammel.clock.set(0);
  const { stage } = trammel;
  const [x, y] = stage.renderer.project([1, 0, 0]);
  const ratio = stage.canvas.width / stage.canvas.getBoundingClientRect().width;
  return [...stage.canvas.getContext("2d").getImageData(Math.round(x * ratio), Math.round(y * ratio), 1, 1).data];
});
expect(colour[3] === 255, `something is drawn at the bob: ${colour}`);
const trail = await drawing.evaluate(() => {
  const { stage } = trammel;
  const paths = stage.trailed().map((p) => [p.name, stage.pathFor(p).slice(300, 302)]);
  return { paths, buttons: Object.keys(stage.toggles).join() };
});
expect(trail.paths.map(([name]) => name).join() === "arm,bob,top", `what leaves trails: ${JSON.stringify(trail.paths)}`);
for (const [k, axis] of ["x", "y"].entries()) near(trail.paths[1][1][k], motion[`bob_${axis}`][100], 2e-5, `the trail of the bob, ${axis}`);
expect(trail.buttons === "names,trails,ghost,follow", `no forces and no joints: ${trail.buttons}`);
// all panels have the time of the run; a step has its length from its beginning on
const spans = await drawing.evaluate(() => trammel.curves.panels.map(({ plot }) => [plot.scales.x.min, plot.scales.x.max, plot.data[0][0]]));
expect(spans.length > 2 && spans.every(([low, high, first]) => low === 0 && high === 1 && first === 0), `times of the panels: ${JSON.stringify(spans)}`);
await drawing.close();
for (const [draw, said] of [
  ["{arm: {line: [[0, 0], [x, y, 0]]}}", /a place of drawing 'arm' has 3 coordinates/],
  ["{arm: {line: [[0, 0]]}}", /line 'arm' needs two points or more/],
  ["{bob: {circle: [x, y]}}", /a radius belongs to a circle: drawing 'bob' has none/],
  ["{bob: {point: [x, y], radius: 1}}", /a radius belongs to a circle: drawing 'bob' is none/],
  ["{bob: {point: [x, z]}}", /'z' is not defined/],
  ["{bob: {square: [x, y]}}", /unknown key 'square'/],
  ["{bob: {radius: 1}}", /point, line, circle/],
]) {
  writeFileSync(join(shop.folder, "wrong.yaml"), pendulum(draw));
  const { status, stderr } = shop.result("check", "wrong.yaml");
  expect(status === 3 && said.test(stderr), `${draw}: ${status} ${stderr}`);
}
await browser.close();

// ---- the command ----

expect(statSync(join(shop.folder, "crank.html")).size < 1.5e6, "size of a small page");
// a chain of 50 bodies over 2000 rows, with the errors of the companion: less than 5 MB
const links = Array.from({ length: 50 }, (_, k) => k);
writeFileSync(
  join(shop.folder, "chain.yaml"),
  `trammel: 1
mechanism:
  plane: xy
  gravity: [0, -9.81]
  bodies: {${links.map((k) => `b${k}: {mass: 1, center: [${k + 0.5}, 0], inertia: 0.08}`).join(", ")}}
  joints: {${links.map((k) => `j${k}: {revolute: {between: [${k ? `b${k - 1}` : "ground"}, b${k}], at: [${k}, 0]}}`).join(", ")}}
simulate: {end: 1, output_interval: 0.0005, tolerance: 1e-4}
`,
);
shop.run("run", "chain.yaml", "--quiet", "--verify");
shop.run("view", "chain.h5", "--quiet");
const chain = readFileSync(join(shop.folder, "chain.html"), "utf8");
expect(chain.length < 5e6, `50 bodies and 2000 rows take ${chain.length} bytes`);
expect(/"count": ?2001/.test(chain), "all rows of the chain are in the page");
expect(!/https?:\/\/(?!www\.w3\.org|github\.com|threejs)/.test(readFileSync(join(shop.folder, "crank.html"), "utf8").match(/^[\s\S]*?id="data"/)[0]), "no address outside");
// a reader of a pipe who has enough: no failure, no message
const pipe = shop.shell(`set -o pipefail; "$TRAMMEL" view slider-crank.h5 -o - | head -c 100`);
expect(pipe.status === 0 && pipe.stderr === "" && pipe.stdout.startsWith("<!doctype html>"), `view -o - | head: ${pipe.status} ${pipe.stderr}`);
const missing = shop.result("view", "nothing.h5");
expect(missing.status === 5 && /nothing\.h5/.test(missing.stderr), `a missing result: ${missing.status} ${missing.stderr}`);
const folder = shop.result("view", "slider-crank.h5", "-o", "no/such/folder.html");
expect(folder.status === 5 && /cannot write/.test(folder.stderr), `a missing folder: ${folder.status} ${folder.stderr}`);
finish();
