// Light and dark: the colours of the page, from the variables of its style sheet.

// Eight colours that colour-blind readers can tell apart, for bodies and curves.
const light = ["#3b78c2", "#d9822b", "#2a9d6f", "#b5538a", "#8a6d3b", "#5b9bd5", "#c94f4f", "#6b6bb3"];
const dark = ["#6aa5f0", "#f0a657", "#4fc796", "#e08abb", "#c9a968", "#8fc4f2", "#ef7f7f", "#9b9be6"];

let chosen = null; // by the reader; null: as the system has it

export const isDark = () => (chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches);

export function applyTheme() {
  document.documentElement.dataset.theme = isDark() ? "dark" : "light";
}

export function toggleTheme() {
  chosen = isDark() ? "light" : "dark";
  applyTheme();
}

export function setTheme(name) {
  chosen = name;
  applyTheme();
}

export function colours() {
  const css = getComputedStyle(document.documentElement);
  const value = (name) => css.getPropertyValue(name).trim();
  return {
    dark: isDark(),
    series: isDark() ? dark : light,
    paper: value("--paper"),
    ink: value("--ink"),
    muted: value("--muted"),
    line: value("--line"),
    joint: value("--joint"),
    ground: value("--ground"),
    spring: value("--spring"),
    arrow: value("--arrow"),
    now: value("--now"),
    bad: value("--bad"),
  };
}

// Blue, grey, red for values in [-1, 1].
export function diverging(x, isDarkNow) {
  const ends = isDarkNow ? [[106, 165, 240], [120, 130, 140], [239, 110, 100]] : [[40, 95, 180], [150, 155, 160], [200, 55, 45]];
  const to = x < 0 ? ends[0] : ends[2];
  const s = Math.min(1, Math.abs(x));
  return `rgb(${ends[1].map((c, k) => Math.round(c + s * (to[k] - c))).join(",")})`;
}
