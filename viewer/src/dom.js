// Small helpers for elements.

// element("button.play", {title: "Play"}, "text", child, ...)
export function element(tag, attributes = {}, ...children) {
  const [name, ...classes] = tag.split(".");
  const e = document.createElement(name);
  if (classes.length) e.className = classes.join(" ");
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) e.addEventListener(key.slice(2), value);
    else if (value !== false && value !== null && value !== undefined) e.setAttribute(key, value === true ? "" : value);
  }
  e.append(...children.filter((c) => c !== null && c !== undefined));
  return e;
}

const SVG = "http://www.w3.org/2000/svg";

// An icon from the path of a 24 x 24 drawing.
export function icon(path) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  const p = document.createElementNS(SVG, "path");
  p.setAttribute("d", path);
  svg.append(p);
  return svg;
}

export const icons = {
  play: "M8 5v14l11-7z",
  pause: "M7 5h4v14H7zM13 5h4v14h-4z",
  back: "M18 6v12l-8.5-6zM6 6h2.5v12H6z",
  forward: "M6 6v12l8.5-6zM15.5 6H18v12h-2.5z",
  fit: "M4 4h6v2H6v4H4zM14 4h6v6h-2V6h-4zM4 14h2v4h4v2H4zM18 14h2v6h-6v-2h4z",
  theme: "M12 3a9 9 0 1 0 9 9 7 7 0 0 1-9-9z",
  help: "M11 17h2v2h-2zM12 4a5 5 0 0 0-5 5h2a3 3 0 1 1 4.2 2.8c-1.3.7-2.2 1.6-2.2 3.2h2c0-1 .6-1.5 1.5-2A5 5 0 0 0 12 4z",
  link: "M8 13h8v-2H8zM7 15a3 3 0 0 1 0-6h3V7H7a5 5 0 0 0 0 10h3v-2zM17 7h-3v2h3a3 3 0 0 1 0 6h-3v2h3a5 5 0 0 0 0-10z",
  add: "M11 5h2v6h6v2h-6v6h-2v-6H5v-2h6z",
  close: "M6.4 5 12 10.6 17.6 5 19 6.4 13.4 12 19 17.6 17.6 19 12 13.4 6.4 19 5 17.6 10.6 12 5 6.4z",
};

export const button = (title, path, action, key) => element("button.icon", { title: key ? `${title} (${key})` : title, "aria-label": title, onclick: action }, icon(path));
