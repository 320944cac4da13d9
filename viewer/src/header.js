// The top of the page: what was run, how it ended, and whether it can be trusted.
import { button, element, icons } from "./dom.js";
import { format } from "./numbers.js";
import { toggleTheme } from "./theme.js";

// word, class and reason of a run's verdict
export function verdictOf(run) {
  const { status, text, summary } = run.data;
  if (status === "model") return run.complaints ? [`assembled, ${run.complaints} complaint${run.complaints > 1 ? "s" : ""}`, "warn", ""] : ["assembled", "good", "not run yet"];
  if (status === "apart") return ["cannot be assembled", "bad", run.data.problems?.find((p) => p.error)?.text];
  if (status === "mode") return [run.title, run.data.mode.growth > 0 ? "warn" : "none", run.data.mode.growth > 0 ? "it grows: unstable" : ""];
  if (status === "running" && window.trammel?.live) return [`running, t = ${format(run.end)} s`, "none", "rows come as the run goes on"];
  if (status === "running") return ["not finished", "warn", "the run was still going on, or was killed"];
  if (status === "failed") return ["failed", "bad", text || summary?.message];
  if (status === "interrupted") return ["interrupted", "warn", text];
  if (!summary) return [status || "no summary", "none", ""];
  if (summary.trusted === true) return ["trusted", "good", "every check of the run passed"];
  if (summary.trusted === false) return ["not trusted", "warn", summary.message];
  return ["constant steps", "none", "without error control the error is not known"];
}

function facts(run) {
  const s = run.data.summary;
  if (!s) return [];
  const out = [["t", `${format(s.t_end)} s`], ["steps", `${s.steps}`]];
  const rejected = s.rejected_error + s.rejected_newton;
  if (rejected) out.push(["rejected", String(rejected)]);
  if (s.integrator) out.push(["method", s.integrator]);
  if (s.position_residual_max > 0) out.push(["|g|", format(s.position_residual_max, 3)]);
  const digits = s.accuracy?.digits;
  if (digits) out.push(["accuracy", Object.entries(digits).filter(([, n]) => n !== null).map(([name, n]) => `${name} ${n}`).join(", ") + " digits"]);
  const drift = s.energy_end - s.energy_start;
  if (s.energy_start !== null && s.energy_end !== null) out.push(["energy change", `${format(drift, 3)} J`]);
  out.push(["took", `${format(s.wall_seconds, 3)} s`]);
  return out;
}

export function header(runs, title, onTheme, onHelp) {
  const rows = runs.map((run) => {
    const [word, kind, why] = verdictOf(run);
    return element(
      "div.facts", {},
      ...(runs.length > 1 ? [element("b", {}, run.label)] : []),
      element(`span.badge.${kind}`, { title: why || "" }, word),
      ...(why && (kind === "bad" || kind === "warn") ? [element("span.why", { title: why }, why)] : []),
      ...facts(run).map(([name, value]) => element("span.fact", {}, element("small", {}, name), ` ${value}`)),
    );
  });
  const notes = [...new Set(runs.map((r) => r.data.notes).filter(Boolean))].map((n) => element("p.note", {}, n));
  return element(
    "header", {},
    element("div.title", {}, element("h1", {}, title), button("Light or dark", icons.theme, () => (toggleTheme(), onTheme()), "d"), button("Keys", icons.help, onHelp, "?")),
    ...rows,
    ...notes,
  );
}
