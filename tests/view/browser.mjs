// What the tests of the viewer share: the command, a browser, pages that report every fault, expectations.
import { execFileSync, spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

export const root = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
const require = createRequire(join(root, "viewer/package.json"));

// ms after which a page, a browser or a child hangs, however loaded the machine is
export const longest = 600000;

let bad = 0;

export function expect(condition, text) {
  if (condition) return;
  bad++;
  console.log(`FAILED: ${text}`);
}

export function near(value, wanted, tolerance, text) {
  expect(Math.abs(value - wanted) <= tolerance, `${text}: ${value} instead of ${wanted}, tolerance ${tolerance}`);
}

// The command at work in a folder of its own.
export function workshop(trammel) {
  const folder = mkdtempSync(join(tmpdir(), "trammel-view-"));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  const command = resolve(trammel);
  return {
    folder,
    run: (...args) => execFileSync(command, args, { cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }),
    result: (...args) => spawnSync(command, args, { cwd: folder, encoding: "utf8" }),
    shell: (line) => spawnSync("bash", ["-c", line], { cwd: folder, encoding: "utf8", env: { ...process.env, TRAMMEL: command } }),
    csv: (name) => readCsv(join(folder, name)),
    url: (name) => `file://${join(folder, name)}`,
  };
}

// Columns of a CSV file by name, without the units.
function readCsv(path) {
  const [head, ...lines] = readFileSync(path, "utf8").trim().split("\n");
  const rows = lines.map((line) => line.split(",").map(Number));
  return Object.fromEntries(head.split(",").map((name, k) => [name.replace(/ \[.*/, ""), rows.map((r) => r[k])]));
}

function findBrowser() {
  for (const name of ["chromium", "chromium-browser", "google-chrome"]) {
    const found = spawnSync("sh", ["-c", `command -v ${name}`], { encoding: "utf8" }).stdout.trim();
    if (found) return found;
  }
  console.log("no Chromium: scripts/install-deps test installs it");
  process.exit(1);
}

// A browser without a graphics card; `open` gives a page at which every console message, error and
// request to anywhere else (but those that begin with `allow`) is a failure.
export async function startBrowser() {
  const { chromium } = require("playwright-core");
  const args = ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"];
  const browser = await chromium.launch({ executablePath: findBrowser(), args, timeout: longest });
  const open = async (url, { width = 1280, height = 800, dark = false, touch = false, script, allow } = {}) => {
    const page = await browser.newPage({ viewport: { width, height }, colorScheme: dark ? "dark" : "light", hasTouch: touch });
    page.setDefaultTimeout(longest);
    page.on("console", (m) => expect(m.type() !== "error" && m.type() !== "warning" || /GPU stall|GL Driver/.test(m.text()), `console of ${url}: ${m.text()}`));
    page.on("pageerror", (e) => expect(false, `error in ${url}: ${e.stack}`));
    page.on("request", (r) => expect(r.url().split("#")[0] === url.split("#")[0] || r.url().startsWith("data:") || (allow && r.url().startsWith(allow)), `request to ${r.url()}`));
    if (script) await page.addInitScript(script);
    await page.goto(url);
    await page.waitForFunction(() => window.trammel);
    return page;
  };
  return { open, close: () => browser.close() };
}

export function finish() {
  console.log(bad ? `${bad} failed` : "all good");
  process.exit(bad ? 1 : 0);
}
