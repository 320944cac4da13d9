// Numbers as people read them. Any number may come: 0, infinities, NaN, what is not there.

const plain = (text) => text.replace("e+", "e");

// A value with so many digits, at least 2.
export function format(x, digits = 4) {
  if (!Number.isFinite(x)) return Math.abs(x) === Infinity ? (x < 0 ? "-∞" : "∞") : "–";
  if (x === 0) return "0";
  const size = Math.abs(x);
  if (size >= 1e5 || size < 1e-3) return plain(x.toExponential(digits - 2));
  return String(Number(x.toPrecision(digits)));
}

// The time with as many digits as its steps need.
export function formatTime(t, span) {
  if (!Number.isFinite(t)) return format(t);
  if (span > 0 && span < 1e-6) return t.toExponential(3);
  const digits = span > 0 ? Math.max(0, Math.min(9, 3 - Math.floor(Math.log10(span)))) : 3;
  return t.toFixed(digits);
}

// Texts beside an axis for the numbers `ticks`, `step` apart, with as many digits as that needs.
export function tickTexts(ticks, step) {
  const largest = Math.max(0, ...ticks.filter(Number.isFinite).map(Math.abs));
  const power = (x) => Math.floor(Math.log10(x) + 1e-9);
  const digits = step > 0 && largest > 0 ? power(largest) - power(step) + 2 : 7; // one more than tells them apart: steps of 2.5
  const kept = Math.min(15, Math.max(1, digits));
  const short = (largest >= 1e5 || largest < 1e-3) && kept < 8;
  const text = (x) => {
    const rounded = Number(x.toPrecision(kept));
    return x !== 0 && short ? plain(rounded.toExponential()) : String(rounded);
  };
  return ticks.map((x) => (Number.isFinite(x) ? text(x) : ""));
}

// Powers of ten from low to high, not more than a handful.
export function decades(low, high) {
  const [first, last] = [Math.ceil(Math.log10(low) - 1e-9), Math.floor(Math.log10(high) + 1e-9)];
  if (!Number.isFinite(first) || !Number.isFinite(last)) return [];
  const step = Math.max(1, Math.ceil((last - first) / 5));
  const out = [];
  for (let k = first; k <= last; k += step) out.push(Number(`1e${k}`)); // 10 ** k is not exact
  return out;
}
