// Series of the page's data: see src/program/view/series.h for the coding.

function bytesOf(base64) {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}

// The integers of a series.
function integersOf(base64, count) {
  const out = new Float64Array(count);
  if (!base64) return out;
  const bytes = bytesOf(base64);
  let at = 0;
  let last = 0;
  let before = 0;
  for (let k = 0; k < count; k++) {
    let code = 0;
    let weight = 1;
    let byte;
    do {
      byte = bytes[at++];
      code += (byte & 127) * weight;
      weight *= 128;
    } while (byte > 127);
    const difference = code % 2 ? -(code + 1) / 2 : code / 2;
    const value = difference + 2 * last - before;
    out[k] = value;
    before = last;
    last = value;
  }
  return out;
}

// The values of a series, NaN where there is none.
export function decodeSeries({ low, step, count, log, data }) {
  const out = integersOf(data, count);
  for (let k = 0; k < count; k++) {
    const i = out[k];
    if (i < 0) out[k] = NaN;
    else if (log) out[k] = i === 0 ? 0 : Math.exp(low + step * i);
    else out[k] = low + step * i;
  }
  return out;
}
