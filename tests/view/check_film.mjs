#!/usr/bin/env node
// Pictures and movies that cannot be: what is said, and what is left behind. Usage: check_film.mjs PATH-OF-TRAMMEL
import { spawn } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, finish, longest, root, workshop } from "./browser.mjs";

const shop = workshop(process.argv[2]);
const temporary = join(shop.folder, "tmp");
mkdirSync(temporary);
process.env.TMPDIR = temporary;
shop.run("run", join(root, "examples/mechanisms/slider-crank.yaml"), "--quiet", "--no-verify", "--set", "simulate.end=0.1");
shop.run("run", join(root, "examples/motor.yaml"), "--quiet", "--no-verify", "--set", "simulate.end=0.1");
const left = () => readdirSync(temporary).filter((name) => name.startsWith("trammel-film-"));

// ---- what cannot be ----

for (const [args, status, said] of [
  [["slider-crank.h5", "--png", "t=7"], 5, /no picture at t = 7 s: the result goes from 0 to 0\.1 s/],
  [["motor.h5", "--png", "0"], 5, /no machine to take pictures of: the result is of equations/],
  [["slider-crank.h5", "--png", "0", "-o", "a.jpg"], 2, /a\.jpg: trammel view --png writes a \.png file/],
  [["slider-crank.h5", "-o", "a.gif"], 2, /a\.gif is the name of a movie: --gif makes one/],
  [["slider-crank.h5", "--gif", "-o", "-"], 2, /--gif needs a file/],
]) {
  const { status: code, stderr } = shop.result("view", ...args);
  expect(code === status && said.test(stderr), `view ${args.join(" ")}: ${code} ${stderr}`);
}
expect(left().length === 0, `after failures: ${left()}`);

// ---- a browser that hangs, with a child of its own ----

const hanging = join(shop.folder, "hanging-browser");
writeFileSync(hanging, `#!/bin/sh\nsleep 36000 &\necho $! > "${shop.folder}/pid.new"\nmv "${shop.folder}/pid.new" "${shop.folder}/pid"\nsleep 36000\n`);
chmodSync(hanging, 0o755);
process.env.TRM_BROWSER = hanging;
const pidFile = join(shop.folder, "pid");
const isAlive = () => {
  const pid = Number(readFileSync(pidFile, "utf8"));
  try {
    return process.kill(pid, 0) && !readFileSync(`/proc/${pid}/stat`, "utf8").includes(") Z ");
  } catch {
    return false;
  }
};
const wait = async (what, until) => {
  for (let k = 0; 50 * k < longest && !until(); k++) await new Promise((done) => setTimeout(done, 50));
  expect(until(), what);
};

const late = shop.result("view", "slider-crank.h5", "--png", "0", "--wait", "1");
expect(late.status === 5 && /hanging-browser was not done after 1 s and was ended/.test(late.stderr) && /--wait gives it longer/.test(late.stderr), `a browser that hangs: ${late.status} ${late.stderr}`);
expect(left().length === 0, `after a browser that hangs: ${left()}`);

for (const signal of ["SIGINT", "SIGTERM"]) {
  writeFileSync(pidFile, "");
  writeFileSync(join(shop.folder, "slider-crank.gif"), "as before");
  const child = spawn(resolve(process.argv[2]), ["view", "slider-crank.h5", "--gif"], { cwd: shop.folder, stdio: "ignore" });
  const ended = new Promise((done) => child.on("exit", (code, by) => done(by)));
  await wait("the browser is started", () => existsSync(pidFile) && Number(readFileSync(pidFile, "utf8")) > 0);
  child.kill(signal);
  const by = await ended;
  expect(by === signal, `ended by ${by} instead of ${signal}`);
  expect(left().length === 0, `after ${signal}: ${left()}`);
  await wait(`after ${signal} the children of the browser have ended`, () => !isAlive());
  expect(readFileSync(join(shop.folder, "slider-crank.gif"), "utf8") === "as before", `${signal} leaves the movie that was there`);
}
finish();
