#!/usr/bin/env node
// The machines of all examples look as in docs/figures/machine-NAME.png (scripts/draw-machines), which were looked at.
// So do models before they run, with what is wrong with them, and modes: as in tests/view/pictures.
// Usage: check_pictures.mjs PATH-OF-TRAMMEL [--update]: writes the pictures of that folder, to be looked at
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, finish, root, startBrowser, workshop } from "./browser.mjs";

// Edges of letters and bars differ between browsers: a pixel differs when a colour is off by 48 of 255, and 1.5 % of
// the pixels may. A body out of place changes 2 % or more, see the last line of the check.
const PIXEL = 48;
const SHARE = 0.015;

const shop = workshop(process.argv[2]);
const folder = join(root, "examples/mechanisms");
const models = (of) => readdirSync(of).filter((f) => f.endsWith(".yaml")).map((f) => ({ name: f.replace(".yaml", ""), path: join(of, f) }));
const vehicles = models(join(root, "examples/vehicles")).map((m) => ({ ...m, short: ["--set", "simulate.end=1"] }));
const browser = await startBrowser();

// the share of the pixels in which two pictures differ
const difference = async ([one, other, limit]) => {
  const pixels = async (base64) => {
    const image = new Image();
    image.src = `data:image/png;base64,${base64}`;
    await image.decode();
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [image.width, image.height];
    const pen = canvas.getContext("2d", { willReadFrequently: true });
    pen.drawImage(image, 0, 0);
    return pen.getImageData(0, 0, image.width, image.height);
  };
  const [a, b] = [await pixels(one), await pixels(other)];
  if (a.width !== b.width || a.height !== b.height) return 1;
  let count = 0;
  for (let k = 0; k < a.data.length; k += 4)
    if ([0, 1, 2].some((i) => Math.abs(a.data[k + i] - b.data[k + i]) > limit)) count++;
  return count / (a.width * a.height);
};

let last = null;
// Draws a page as a still and compares it with a file.
async function compare(what, address, file, update) {
  const page = await browser.open(`${shop.url(address)}&theme=light`, { width: 480, height: 300 });
  const drawn = await page.textContent("#film");
  if (update) writeFileSync(file, Buffer.from(drawn, "base64"));
  expect(existsSync(file), `${what}: there is no ${file}: scripts/draw-machines build/trammel ${what} draws it, to be looked at`);
  if (!existsSync(file)) return page.close();
  const share = await page.evaluate(difference, [drawn, readFileSync(file).toString("base64"), PIXEL]);
  expect(share < SHARE, `${what}: ${(100 * share).toFixed(2)} % of the picture differ from ${file}`);
  if (last) expect((await page.evaluate(difference, [drawn, last, PIXEL])) > SHARE, `${what}: another machine passes as this one`);
  last = drawn;
  await page.close();
}

const update = process.argv[3] === "--update";
const pictures = join(root, "tests/view/pictures");
for (const name of ["flipped", "out-of-place", "missing-joint", "apart"]) {
  shop.result("view", join(root, "tests/view/models", `${name}.yaml`), "--quiet", "-o", `${name}.html`);
  await compare(`model ${name}`, `${name}.html#film=still:0:25:480:300:1`, join(pictures, `model-${name}.png`), update);
}
// a quarter into the period the machine is where the mode takes it
for (const [name, mode] of [["scissor-lift", 1], ["double-wishbone", 2]]) {
  shop.run("modes", join(folder, `${name}.yaml`), "--view", "modes.html", "--quiet");
  await compare(`mode ${mode} of ${name}`, `modes.html#mode=${mode}&film=still:25%25:25:480:300:1`, join(pictures, `mode-${name}.png`), update);
}
last = null;
for (const { name, path, short = [] } of update ? [] : [...models(folder), ...vehicles]) {
  shop.result("run", path, "--quiet", "--no-verify", ...short);
  shop.run("view", `${name}.h5`, "--quiet");
  await compare(name, `${name}.html#film=still:33%25:25:480:300:1`, join(root, "docs/figures", `machine-${name}.png`));
}
await browser.close();
finish();
