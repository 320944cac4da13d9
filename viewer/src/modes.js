// The list of modes beside the machine that swings.
import { element } from "./dom.js";
import { format } from "./numbers.js";

export function modeList(modes, chosen, choose) {
  const rows = modes.map(({ mode }, k) =>
    element(
      `tr${k === chosen ? ".chosen" : ""}`, { onclick: () => choose(k), tabindex: 0, onkeydown: (e) => e.key === "Enter" && choose(k) },
      element("td", {}, String(k + 1)), element("td", {}, format(mode.frequency)), element("td", {}, format(mode.damping, 3)), element("td", {}, format(mode.growth, 3)),
    ),
  );
  return element(
    "section.curves.report", { "aria-label": "Modes" },
    element("section.panel", {}, element("h2", {}, "Modes"), element("table.modes", {}, element("thead", {}, element("tr", {}, ...["", "Hz", "damping", "growth 1/s"].map((t) => element("th", {}, t)))), element("tbody", {}, ...rows)), element("p", {}, "Amplitudes are chosen to be seen; time is one period.")),
  );
}
