#!/usr/bin/env node
// `trammel view MODEL`: what is wrong with a model is coloured, and named in the report; pictures without a window.
// Usage: check_model.mjs PATH-OF-TRAMMEL
import { readFileSync } from "node:fs";
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
await browser.close();

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
