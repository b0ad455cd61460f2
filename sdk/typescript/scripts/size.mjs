// Fails if the client is larger than it may be. React is not counted.
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

// Session.ask, which each session has, takes 1 KiB of both; loading around a message half a KiB.
// The names of the events of monitors, windows and notices take a quarter of a KiB of both.
const limits = { "src/index.ts": 14.25 * 1024, "src/react.ts": 14.25 * 1024 };
let over = false;
for (const [entry, limit] of Object.entries(limits)) {
  const made = await build({
    entryPoints: [entry],
    bundle: true,
    minify: true,
    format: "esm",
    target: "es2022",
    external: ["react", "ws"],
    write: false,
    logLevel: "error",
  });
  const size = gzipSync(made.outputFiles[0].contents, { level: 9 }).length;
  console.log(`${entry}: ${(size / 1024).toFixed(1)} KiB of ${limit / 1024} KiB, minified and gzipped`);
  over ||= size > limit;
}
process.exit(over ? 1 : 0);
