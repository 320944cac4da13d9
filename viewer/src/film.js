// Stills and movies: the machine at given times as PNG pictures in the document, for the command
// that opened this page in a browser without a window.
//
//   #film=from:to:fps:width:height:frames      one picture at `from` where to is not larger
import { element, formatTime } from "./dom.js";
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

// Replaces the page by its pictures, one line of base64 each.
export function film(wish, stage, clock) {
  const [from, to, fps, width, height, most] = wish.split(":").map(Number);
  const out = element("pre", { id: "film" });
  if (!stage) {
    document.body.replaceChildren(out);
    return;
  }
  document.body.replaceChildren(stage.root);
  stage.root.style.cssText = `position: fixed; left: 0; top: 0; width: ${width}px; height: ${height}px; border: 0; border-radius: 0`;
  stage.still = true;
  stage.resize();
  stage.fit();
  const begin = Math.max(clock.start, Math.min(from, clock.end));
  const end = Math.min(to, clock.end);
  const wanted = end > begin ? Math.ceil(((end - begin) / clock.speed) * fps) : 0;
  const count = Math.max(1, Math.min(most, wanted));
  const lines = [];
  for (let k = 0; k < count; k++) {
    clock.playing = count > 1; // between rows too
    clock.set(count > 1 ? begin + ((end - begin) * k) / count : begin);
    stage.draw();
    lines.push(picture(stage, clock, width, height, clock.end > clock.start ? `t = ${formatTime(clock.t, clock.end - clock.start)} s` : ""));
  }
  clock.playing = false;
  out.textContent = lines.join("\n");
  document.body.replaceChildren(out);
}
