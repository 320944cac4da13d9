// Stills and movies: the machine at given times as PNG pictures in the document, for the command
// that opened this page in a browser without a window.
//
//   #film=still:TIME:fps:width:height:frames      one picture at TIME, 0.5 or 50%
//   #film=movie:0:fps:width:height:frames         the whole run
import { element } from "./dom.js";
import { formatTime } from "./numbers.js";
import { colours } from "./theme.js";

function picture(stage, clock, width, height, label) {
  const canvas = element("canvas", { width, height });
  const pen = canvas.getContext("2d");
  const theme = colours();
  pen.fillStyle = theme.paper;
  pen.fillRect(0, 0, width, height);
  for (const layer of [stage.canvas, stage.overlay.canvas]) pen.drawImage(layer, 0, 0, width, height);
  if (label) {
    pen.font = "14px system-ui, sans-serif";
    pen.fillStyle = theme.muted;
    pen.fillText(label, 12, height - 12);
  }
  return canvas.toDataURL("image/png").split(",")[1];
}

// Replaces the page by its pictures, one line of base64 each, or by "!" and why there are none.
export function film(wish, stage, clock) {
  let lines;
  try {
    lines = take(wish, stage, clock);
  } catch (e) {
    lines = [`!${e.message}`];
  }
  document.body.replaceChildren(element("pre", { id: "film" }, lines.join("\n")));
}

// the time that was asked for, which the run must have
function timeOf(time, clock) {
  const span = clock.end - clock.start;
  const at = time.endsWith("%") ? clock.start + (span * parseFloat(time)) / 100 : Number(time);
  const slack = 1e-9 * Math.max(Math.abs(clock.start), Math.abs(clock.end)); // of what people and formats round
  if (at >= clock.start - slack && at <= clock.end + slack) return at;
  throw new Error(span > 0 ? `there is no picture at t = ${at} s: the result goes from ${clock.start} to ${clock.end} s` : `there is no picture at t = ${at} s: nothing is known but t = ${clock.start} s`);
}

function take(wish, stage, clock) {
  const [kind, time, ...numbers] = wish.split(":");
  const [fps, width, height, most] = numbers.map(Number);
  if (!stage) throw new Error("there is no machine to take pictures of: the result is of equations without a section 'draw'; trammel plot draws its curves");
  const at = kind === "movie" ? clock.start : timeOf(time, clock);
  document.body.replaceChildren(stage.view);
  stage.view.style.cssText = `position: fixed; left: 0; top: 0; width: ${width}px; height: ${height}px`;
  stage.still = true;
  stage.resize();
  stage.fit();
  const span = clock.end - clock.start;
  const wanted = kind === "movie" ? Math.ceil((span / clock.speed) * fps) : 1;
  const count = Math.max(1, Math.min(most, wanted));
  const lines = [];
  for (let k = 0; k < count; k++) {
    clock.playing = count > 1; // between rows too
    clock.set(count > 1 ? clock.start + (span * k) / count : at);
    stage.draw();
    lines.push(picture(stage, clock, width, height, clock.end > clock.start ? `t = ${formatTime(clock.t, clock.end - clock.start)} s` : ""));
  }
  clock.playing = false;
  return lines;
}
