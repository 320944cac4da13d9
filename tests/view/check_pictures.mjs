#!/usr/bin/env node
// The machines of all examples look as in docs/figures/machine-NAME.png (scripts/draw-machines), which were looked at.
// Usage: check_pictures.mjs PATH-OF-TRAMMEL
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, finish, root, startBrowser, workshop } from "./browser.mjs";

// Edges of letters and bars differ between browsers: a pixel differs when a colour is off by 48 of 255, and 1.5 % of
// the pixels may. A body out of place changes 2 % or more, see the last line of the check.
const PIXEL = 48;
const SHARE = 0.015;

const shop = workshop(process.argv[2]);
const folder = join(root, "examples/mechanisms");
const names = readdirSync(folder).filter((f) => f.endsWith(".yaml")).map((f) => f.replace(".yaml", ""));
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
for (const name of names) {
  shop.result("run", join(folder, `${name}.yaml`), "--quiet", "--no-verify");
  shop.run("view", `${name}.h5`, "--quiet");
  const page = await browser.open(`${shop.url(`${name}.html`)}#theme=light&film=still:33%25:25:480:300:1`, { width: 480, height: 300 });
  const drawn = await page.textContent("#film");
  const wanted = readFileSync(join(root, "docs/figures", `machine-${name}.png`)).toString("base64");
  const share = await page.evaluate(difference, [drawn, wanted, PIXEL]);
  expect(share < SHARE, `${name}: ${(100 * share).toFixed(2)} % of the picture differ from docs/figures/machine-${name}.png`);
  if (last) expect((await page.evaluate(difference, [drawn, last, PIXEL])) > SHARE, `${name}: another machine passes as this one`);
  last = drawn;
  await page.close();
}
await browser.close();
finish();
