import { chromium } from "playwright-core";
const [out, size, ...pages] = process.argv.slice(2);
const [w,h] = size.split("x").map(Number);
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"] });
const js = process.env.JS;
for (const p of pages) {
  const page = await browser.newPage({ viewport: { width: w, height: h }, colorScheme: process.env.SCHEME ?? "light" });
  page.on("console", m => console.log(p, m.type(), m.text()));
  page.on("pageerror", e => console.log(p, "ERROR", e.message, e.stack?.slice(0,300)));
  const [file, hash] = p.split("#");
  await page.goto("file://" + file + (hash ? "#" + hash : ""));
  if (js) await page.evaluate(js);
  await page.waitForTimeout(200);
  await page.screenshot({ path: `${out}/${file.split("/").pop().replace(".html", "")}${process.env.TAG ?? ""}.png` });
  await page.close();
}
await browser.close();
