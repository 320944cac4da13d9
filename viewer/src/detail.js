// How much of a machine is drawn while it plays. Where pictures take longer than a twentieth of a
// second, on the average of ten or of half a second, less is drawn: first without joints and round ends
// of bars, then every second body, every fourth, ... of machines that have so many parts that this helps;
// of pictures that take much longer, fewer at once. All of it is there again when time stands still.

const SLOWEST = 50; // ms from picture to picture
const AVERAGE = 10; // pictures
const LEVELS = 8;
const MANY_PARTS = 1500;

export class Detail {
  constructor(parts) {
    this.levels = parts > MANY_PARTS ? LEVELS : 1;
    this.reset();
  }

  reset() {
    Object.assign(this, { level: 0, sum: 0, count: 0 });
  }

  // time since the picture before, in ms; true: less is drawn from now on
  passed(ms) {
    this.sum += ms;
    if (++this.count < AVERAGE && this.sum < AVERAGE * SLOWEST) return false;
    const times = this.sum / this.count / SLOWEST; // as long as it may take
    const more = times > 1 ? Math.max(1, Math.round(Math.log2(times))) : 0;
    const level = Math.min(this.levels, this.level + more);
    const slow = level > this.level;
    Object.assign(this, { sum: 0, count: 0, level });
    return slow;
  }

  // of so many bodies one is drawn
  get stride() {
    return this.level > 1 ? 2 ** (this.level - 1) : 1;
  }

  hides(part) {
    if (this.level === 0) return false;
    if (part.layer === "joint") return part.kind !== "wheel" && part.kind !== "plane";
    return this.level > 1 && (part.layer === "force" || part.body % this.stride !== 0);
  }

  // what the page says about it
  get text() {
    if (this.level === 0) return "";
    return this.level === 1 ? "simpler while it plays: joints are left out" : `simpler while it plays: every ${this.stride}${this.stride === 2 ? "nd" : "th"} body, no joints and forces`;
  }
}
