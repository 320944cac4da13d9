#!/usr/bin/env node
// Numbers of the page, whatever they are: no value and no axis may stop it. Usage: check_numbers.mjs
import { expect, finish, root } from "./browser.mjs";

const { decades, format, formatTime, tickTexts } = await import(`${root}/viewer/src/numbers.js`);

const equal = (is, wanted, what) => expect(is === wanted, `${what}: '${is}' instead of '${wanted}'`);
const strange = [0, -0, NaN, Infinity, -Infinity, undefined, null, "x", 5e-324, -5e-324, 1.7976931348623157e308, -1e-300, 1e21, 123456789.123];

// what reads well
equal(format(0.123456), "0.1235", "four digits");
equal(format(-1234567, 3), "-1.2e6", "a large value");
equal(format(4.2e-7, 2), "4e-7", "an error");
equal(format(Infinity), "∞", "infinity");
equal(format(-Infinity), "-∞", "minus infinity");
for (const x of [NaN, undefined, null, "x"]) equal(format(x), "–", `no number, ${x}`);
equal(formatTime(1.5, 8), "1.500", "a time of seconds");
equal(formatTime(0.0011, 0.003), "0.001100", "a time of milliseconds");
equal(formatTime(2e-9, 1e-8), "2.000e-9", "a time of nanoseconds");
equal(formatTime(3, 0), "3.000", "the time of a single row");
equal(tickTexts([0, 2.5, 5, 7.5], 2.5).join(" "), "0 2.5 5 7.5", "steps of 2.5");
equal(tickTexts([149.999996, 149.999998, 150], 2e-6).join(" "), "149.999996 149.999998 150", "small steps of large numbers");
equal(tickTexts([-2e-4, 0, 2e-4], 2e-4).join(" "), "-2e-4 0 2e-4", "small numbers");
equal(decades(1e-23, 1e-11).join(" "), "1e-23 1e-20 1e-17 1e-14 1e-11", "a handful of powers");

// what must not stop the page: the axis of an empty curve, of one constant, of infinities
for (const x of strange) {
  for (let digits = 2; digits <= 20; digits++) expect(typeof format(x, digits) === "string", `format of ${x}`);
  for (const span of strange) {
    expect(typeof formatTime(x, span) === "string", `time ${x} of ${span}`);
    expect(tickTexts([x, 1, x], span).every((text) => typeof text === "string"), `tick ${x}, ${span} apart`);
    expect(decades(x, span).length < 10, `powers from ${x} to ${span}`);
  }
}
expect(tickTexts([], 1).length === 0, "no ticks");
finish();
