// The time that is shown: everything on the page follows it.
const SPEEDS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100];

export class Clock {
  constructor(start, end, rows) {
    Object.assign(this, { start, end, rows, t: start, playing: false, loop: true, listeners: [] });
    const length = end - start;
    // as fast as it happens, unless that takes more than half a minute or less than three seconds
    this.speed = length >= 3 && length <= 30 ? 1 : nearest(SPEEDS, length / 8);
  }

  onChange(listener) {
    this.listeners.push(listener);
  }

  changed() {
    for (const listener of this.listeners) listener(this);
  }

  set(t) {
    this.t = Math.min(this.end, Math.max(this.start, t));
    this.changed();
  }

  play(on = !this.playing) {
    if (on && this.t >= this.end) this.t = this.start;
    this.playing = on && this.end > this.start;
    this.changed();
  }

  // seconds of the reader's clock have passed
  advance(seconds) {
    if (!this.playing) return;
    let t = this.t + seconds * this.speed;
    if (t >= this.end) {
      if (this.loop) t = this.start;
      else this.playing = false;
    }
    this.set(t);
  }

  // one row of the result, or several
  step(count) {
    this.playing = false;
    const row = this.rows(this.t);
    this.set(row(count));
  }

  faster(direction) {
    const k = SPEEDS.indexOf(nearest(SPEEDS, this.speed));
    this.speed = SPEEDS[Math.min(SPEEDS.length - 1, Math.max(0, k + direction))];
    this.changed();
  }
}

export const speeds = SPEEDS;

function nearest(list, value) {
  return list.reduce((best, x) => (Math.abs(Math.log(x / value)) < Math.abs(Math.log(best / value)) ? x : best));
}
