#!/usr/bin/env node
// `trammel run --watch`: the page grows while the run goes on, and ends with it.
// Usage: check_watch.mjs PATH-OF-TRAMMEL
import { spawn } from "node:child_process";
import { request } from "node:http";
import { connect } from "node:net";
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, finish, startBrowser, workshop } from "./browser.mjs";

const trammel = resolve(process.argv[2]);
const shop = workshop(trammel);
// A chain of many links, whose steps take long, so that there are few of them; it is interrupted.
const links = Array.from({ length: 60 }, (_, k) => k);
writeFileSync(join(shop.folder, "long.yaml"), `trammel: 1
name: Chain
mechanism:
  plane: xy
  gravity: [0, -9.81, 0]
  bodies:
${links.map((k) => `    link${k}: {mass: 1, center: [${k + 0.5}, 0, 0], inertia: {zz: 0.1}}`).join("\n")}
  joints:
${links.map((k) => `    pin${k}: {revolute: {between: [${k ? `link${k - 1}` : "ground"}, link${k}], at: [${k}, 0, 0]}}`).join("\n")}
simulate: {end: 1.0e4, output_interval: 0.2, tolerance: 1.0e-8}
`);

const run = spawn(trammel, ["run", "long.yaml", "--watch", "--verify", "--progress", "never"], { cwd: shop.folder, stdio: ["ignore", "pipe", "pipe"] });
let said = "";
const ended = new Promise((done) => run.on("exit", done));
const url = await new Promise((found) => {
  run.stderr.on("data", (text) => {
    said += text;
    const at = /http:\/\/127\.0\.0\.1:\d+\//.exec(said);
    if (at) found(at[0]);
  });
  ended.then(() => found(""));
});
expect(url, `no address: ${said}`);

// the status of a request with another name for the server, or another path
const statusOf = (path, host) => new Promise((done) => {
  const ask = request(url, { path, headers: { host } }, (reply) => { reply.resume(); done(reply.statusCode); });
  ask.on("error", () => done(0));
  ask.end();
});
const { host } = new URL(url);
expect((await statusOf("/", "evil.example:80")) === 403, "a name of another site is refused");
expect((await statusOf("/long.yaml", host)) === 404, "no files are served");

// connections that say nothing, or half of something, and readers who go, hold nobody up
const silent = Array.from({ length: 40 }, (_, k) => {
  const socket = connect(Number(new URL(url).port), "127.0.0.1", () => k % 2 && socket.write("GET /data?7 HT"));
  return socket.on("error", () => {});
});
for (let k = 0; k < 10; k++) {
  const socket = connect(Number(new URL(url).port), "127.0.0.1", () => socket.end(`GET / HTTP/1.1\r\nHost: ${host}\r\n\r\n`) && socket.destroy());
  socket.on("error", () => {});
}
expect((await statusOf("/", host)) === 200, "a page while others are silent");
expect((await statusOf(`/${"x".repeat(10000)}`, host)) !== 200, "a request that is too long");

const browser = await startBrowser();
// until the first rows are there the page loads itself again
const page = await browser.open(url, { allow: url });
await page.waitForFunction(() => window.trammel?.live);
const other = await browser.open(url, { allow: url });
await other.waitForFunction(() => window.trammel?.live);
const first = await page.evaluate(() => trammel.clock.end);
await page.waitForFunction((end) => trammel.clock.end > end && trammel.clock.t === trammel.clock.end, first);
const now = await page.evaluate(() => ({ rows: trammel.runs[0].time.length, drawn: trammel.curves.panels[0].plot.data[0].length, badge: document.querySelector(".badge").textContent }));
expect(now.rows > 2 && now.drawn === now.rows, `curves have ${now.drawn} of ${now.rows} rows`);
expect(/^running, t = /.test(now.badge), `the badge says ${now.badge}`);
// Errors are written when the companion has come to the end: until then every one of them is unknown, none a number.
const errors = await page.evaluate(() => {
  const { channels } = trammel.runs[0];
  const known = channels.filter((c) => c.group.startsWith("error/") && c.values.some((x) => !Number.isNaN(x)));
  return { channels: channels.filter((c) => c.group.startsWith("error/")).length, known: known.map((c) => c.id), shown: document.querySelector(".panels").textContent };
});
expect(errors.channels > links.length && errors.known.length === 0, `errors of a run that goes on: ${errors.channels} channels, known are ${errors.known}`);
expect(!errors.shown.includes("±"), `errors beside the curves: ${errors.shown}`);
// the arrows of the reactions are those of the rows that have come since the page was opened
const arrows = await page.evaluate(() => {
  const last = trammel.runs[0].time.length - 1;
  return trammel.stage.reactions.list.filter(({ force }) => force(last).some((x) => x !== 0)).length;
});
expect(arrows === links.length, `${arrows} joints have reactions in the last row`);
// who is not at the end stays where he is
await page.evaluate(() => trammel.clock.set(0.2));
const end = await page.evaluate(() => trammel.clock.end);
await page.waitForFunction((before) => trammel.clock.end > before, end);
expect((await page.evaluate(() => trammel.clock.t)) === 0.2, "the time that was chosen stays");

run.kill("SIGINT");
const code = await ended;
expect(code === 130, `exit code ${code} after an interrupt: ${said}`);
for (const one of [page, other]) {
  await one.waitForFunction(() => trammel.live === false);
  const badge = await one.textContent(".badge");
  expect(badge === "interrupted", `the badge of page ${one === page ? 1 : 2} says ${badge} after the end`);
}
for (const socket of silent) socket.destroy();
const rows = shop.run("info", "long.h5").match(/position\/pin0_angle\s+rad\s+(\d+)/)[1];
const data = await page.evaluate(() => ({ rows: trammel.runs[0].time.length, notes: trammel.runs[0].data.notes }));
expect(data.rows === Number(rows) || data.notes, `the page has ${data.rows} of ${rows} rows`);
await browser.close();

const none = shop.result("run", "long.yaml", "--watch", "--no-hdf5");
expect(none.status === 2 && /leave out --no-hdf5/.test(none.stderr), `--no-hdf5: ${none.status} ${none.stderr}`);
finish();
