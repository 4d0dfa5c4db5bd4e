// Runs the page's tests: pure logic under node, the page in a real Chromium against a scripted
// station, and, where the programs are built, against the real ones.
//
//   node test/run.mjs [--unit]
//
// The programs are looked for in $CY_BIN, else in $CY_BUILD_DIR/bin, else in ../build/dev/bin.
import { build } from "esbuild";
import { spawnSync } from "node:child_process";
import { readdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const web = dirname(here);
const out = join(web, ".build", "unit");

const files = (folder, ending) =>
  readdirSync(join(here, folder)).filter((f) => f.endsWith(ending)).map((f) => join(here, folder, f));

const run = (...args) => {
  const { status } = spawnSync(process.execPath, args, { cwd: web, stdio: "inherit" });
  if (status !== 0) failed = true;
};

let failed = false;
rmSync(out, { recursive: true, force: true });
await build({
  entryPoints: files("unit", ".test.ts"),
  outdir: out,
  bundle: true,
  platform: "node",
  format: "esm",
  outExtension: { ".js": ".mjs" },
  tsconfig: join(web, "tsconfig.json"),
  logLevel: "warning",
});
run(join(web, "node_modules", "typescript", "bin", "tsc"), "--noEmit");
run("--test", ...readdirSync(out).map((f) => join(out, f)));
if (!process.argv.includes("--unit")) {
  run(join(web, "build.mjs"));
  // One browser at a time: these tests watch the clock.
  for (const file of [...files("page", ".test.mjs"), ...files("e2e", ".test.mjs")]) run("--test", file);
}
process.exit(failed ? 1 : 0);
