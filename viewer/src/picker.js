// The list of channels, for choosing the curves of a panel.
import { element } from "./dom.js";

const LIMIT = 400; // entries shown at once

export class Picker {
  constructor(runs) {
    this.runs = runs;
    const seen = new Map();
    for (const run of runs) for (const c of run.channels) if (!seen.has(c.id)) seen.set(c.id, c);
    this.channels = [...seen.values()];
    this.filter = element("input", { type: "search", placeholder: "find a channel", "aria-label": "find a channel", oninput: () => this.fill() });
    this.list = element("div.choices");
    this.root = element("dialog.picker", { "aria-label": "Channels" }, this.filter, this.list, element("button.done", { onclick: () => this.root.close() }, "Done"));
    this.root.addEventListener("click", (e) => {
      if (e.target === this.root) this.root.close();
    });
    this.root.addEventListener("close", () => {
      if (this.panel && this.panel.ids.length === 0) this.panel.curves.close(this.panel);
    });
  }

  open(panel) {
    this.panel = panel;
    this.filter.value = "";
    this.fill();
    this.root.showModal();
    this.filter.focus();
  }

  fill() {
    const words = this.filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    const found = this.channels.filter((c) => words.every((w) => c.id.toLowerCase().includes(w)));
    let group = null;
    const rows = [];
    for (const c of found.slice(0, LIMIT)) {
      if (c.group !== group) rows.push(element("h3", {}, (group = c.group)));
      const box = element("input", { type: "checkbox", onchange: () => this.change(c.id, box.checked) });
      box.checked = this.panel.ids.includes(c.id);
      rows.push(element("label", { title: c.description }, box, ` ${c.label}`, element("small", {}, c.unit && c.unit !== "-" ? ` ${c.unit}` : "")));
    }
    if (found.length > LIMIT) rows.push(element("p", {}, `and ${found.length - LIMIT} more: type a part of the name`));
    if (!found.length) rows.push(element("p", {}, "no channel has this name"));
    this.list.replaceChildren(...rows);
  }

  change(id, on) {
    const ids = on ? [...this.panel.ids, id] : this.panel.ids.filter((x) => x !== id);
    this.panel.set(ids, (one) => this.channels.find((c) => c.id === one));
  }
}
