// The page's own wire code, for tests that speak the station's side of the protocol.
import { build } from "esbuild";
import { rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const web = join(dirname(fileURLToPath(import.meta.url)), "..", "..");

export async function loadWire() {
  const outfile = join(web, ".build", `wire-${process.pid}.mjs`);
  await build({
    stdin: {
      contents: 'export * from "./src/wire/codec.ts"; export * from "./src/wire/messages.ts";',
      resolveDir: web,
      loader: "ts",
    },
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    logLevel: "warning",
  });
  try {
    return await import(pathToFileURL(outfile).href);
  } finally {
    rmSync(outfile, { force: true });
  }
}
