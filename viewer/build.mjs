// Bundles the page's program into one script and writes it as a C file with its bytes.
// Usage: node build.mjs OUT.c
import { build } from "esbuild";
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const result = await build({
  entryPoints: [here("src/main.js")],
  bundle: true,
  minify: true,
  format: "iife",
  target: "es2020",
  charset: "ascii",
  legalComments: "inline",
  loader: { ".css": "text" },
  write: false,
});
const bytes = result.outputFiles[0].contents;
const rows = [];
for (let i = 0; i < bytes.length; i += 32) rows.push(Array.from(bytes.subarray(i, i + 32)).join(","));
writeFileSync(
  process.argv[2],
  `#include <stddef.h>
extern const unsigned char trmi_viewer_bundle[];
extern const size_t trmi_viewer_bundle_size;
const unsigned char trmi_viewer_bundle[] = {
${rows.join(",\n")}
};
const size_t trmi_viewer_bundle_size = sizeof trmi_viewer_bundle;
`,
);
