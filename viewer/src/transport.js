// Play, pause, scrub, speed: the bar at the bottom.
import { button, element, icon, icons } from "./dom.js";
import { formatTime } from "./numbers.js";
import { speeds } from "./clock.js";

const TICKS = 10000;

export class Transport {
  constructor(clock, runs) {
    Object.assign(this, { clock, runs });
    this.playButton = button("Play", icons.play, () => clock.play(), "space");
    this.playButton.classList.add("play");
    this.slider = element("input.scrub", { type: "range", min: 0, max: TICKS, value: 0, step: "any", "aria-label": "Time", oninput: () => this.scrubbed() });
    this.time = element("output.time");
    this.speed = element("select.speed", { title: "Speed (+ and -)", "aria-label": "Speed", onchange: () => this.chooseSpeed() }, ...speeds.map((s) => element("option", { value: s }, `×${s}`)));
    this.root = element(
      "footer.transport", {},
      button("One row back", icons.back, () => clock.step(-1), "←"), this.playButton, button("One row on", icons.forward, () => clock.step(1), "→"),
      element("div.track", {}, this.marks(), this.slider), this.time, this.speed,
      button("Copy a link to this time", icons.link, () => this.copy()),
    );
    clock.onChange(() => this.show());
    this.show();
  }

  // events as marks above the slider
  marks() {
    const { start, end } = this.clock;
    const all = this.runs.flatMap((run) => run.events).slice(0, 300);
    return element("div.marks", {}, ...all.map((e) => element("i", { style: `left: ${(100 * (e.t - start)) / (end - start || 1)}%`, title: `${e.name} at t = ${e.t}${e.text ? `: ${e.text}` : ""}` })));
  }

  scrubbed() {
    this.clock.playing = false;
    this.clock.set(this.clock.start + (this.slider.value / TICKS) * (this.clock.end - this.clock.start));
  }

  chooseSpeed() {
    this.clock.speed = Number(this.speed.value);
    this.clock.changed();
  }

  async copy() {
    const link = `${location.href.split("#")[0]}#t=${this.clock.t}`;
    history.replaceState(null, "", link);
    try {
      await navigator.clipboard.writeText(link);
    } catch {
      // the link is in the address bar
    }
  }

  show() {
    const { clock } = this;
    const span = clock.end - clock.start;
    this.slider.value = span > 0 ? (TICKS * (clock.t - clock.start)) / span : 0;
    this.time.textContent = `${formatTime(clock.t, span)} s`;
    this.speed.value = String(clock.speed);
    if (this.shown === clock.playing) return;
    this.shown = clock.playing;
    this.playButton.replaceChildren(icon(clock.playing ? icons.pause : icons.play));
    this.playButton.setAttribute("aria-label", clock.playing ? "Pause" : "Play");
  }
}
