// Builds the page into web/dist: one script, one style sheet, one icon, one HTML file. Nothing in
// it is inline and nothing comes from elsewhere, so that the station's CSP can say 'self'.
import { build } from "esbuild";
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const here = dirname(fileURLToPath(import.meta.url));
const dist = join(here, "dist");
const budget = 300_000; // bytes, gzipped, all files

rmSync(dist, { recursive: true, force: true });
mkdirSync(dist, { recursive: true });
await build({
  absWorkingDir: here,
  entryPoints: { app: "src/app.ts" },
  outdir: dist,
  bundle: true,
  minify: true,
  format: "esm",
  target: "es2022",
  tsconfig: "tsconfig.json",
  legalComments: "linked",
  logLevel: "warning",
});
cpSync(join(here, "static"), dist, { recursive: true });

const total = readdirSync(dist).reduce((sum, file) => sum + gzipSync(readFileSync(join(dist, file))).length, 0);
console.log(`web/dist: ${(total / 1000).toFixed(0)} kB gzipped`);
if (total > budget) {
  console.error(`the page is larger than its budget of ${budget / 1000} kB`);
  process.exit(1);
}
