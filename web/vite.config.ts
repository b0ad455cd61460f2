import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";
import { diagrams } from "./vite.diagrams.ts";
import { packed } from "./vite.packed.ts";

const here = fileURLToPath(new URL(".", import.meta.url));
const next = "dist.next";
const client = join(here, "../sdk/typescript/src");

// finished does what is left after the build: a name for it in page and service
// worker, so that a new one is noticed, and in the latter what to keep; x.gz beside every text file or, of assets, in
// place of it, so that the server only sends bytes; and the whole in place of the old one at once, so that a Go build in
// the meantime finds either.
function finished(): Plugin {
  let dir = "";
  return {
    name: "clew-finished",
    apply: "build",
    configResolved(config) {
      dir = resolve(config.root, config.build.outDir);
    },
    closeBundle() {
      const page = readFileSync(join(dir, "index.html"), "utf8");
      const build = createHash("sha256").update(page).digest("hex").slice(0, 12);
      writeFileSync(join(dir, "index.html"), page.replace("__BUILD__", build));
      // The Korean fonts come when Hangul is shown, what draws diagrams and charts with the first one.
      const files = readdirSync(join(dir, "assets"))
        .filter((name) => !/^(korean|diagrams|vega|plotly)/.test(name))
        .map((name) => `/assets/${name}`);
      const worker = join(dir, "sw.js");
      writeFileSync(
        worker,
        `const __BUILD__=${JSON.stringify(build)},__FILES__=${JSON.stringify(files)};${readFileSync(worker, "utf8")}`,
      );
      for (const file of readdirSync(dir, { recursive: true, withFileTypes: true })) {
        if (!file.isFile() || !/\.(js|css|html|svg|webmanifest|wasm)$/.test(file.name)) continue;
        const path = join(file.parentPath, file.name);
        writeFileSync(path + ".gz", gzipSync(readFileSync(path), { level: 9 }));
        // The server unpacks it for the few that want it so: the program need not carry both.
        if (file.parentPath.endsWith("assets")) rmSync(path);
      }
      writeFileSync(join(dir, ".keep"), "");
      if (dir !== join(here, next)) return; // built elsewhere, on purpose
      const dist = join(here, "dist");
      rmSync(dist + ".old", { recursive: true, force: true });
      if (existsSync(dist)) renameSync(dist, dist + ".old");
      renameSync(dir, dist);
      rmSync(dist + ".old", { recursive: true, force: true });
    },
  };
}

// The editor of cells puts its styles into an element, which the content security policy forbids. In a
// shadow root it adopts a sheet; here it does so in the page as well.
function adoptedStyles(): Plugin {
  const asked = "!root.head && root.adoptedStyleSheets";
  return {
    name: "clew-adopted-styles",
    transform(code, id) {
      if (!/node_modules\/style-mod\//.test(id)) return undefined;
      if (!code.includes(asked)) throw new Error("style-mod is another one: see how it mounts its styles");
      return { code: code.replace(asked, "root.adoptedStyleSheets"), map: null };
    },
  };
}

export default defineConfig({
  plugins: [
    react(),
    tailwindcss(),
    diagrams(),
    packed({ name: "vega", entry: "src/features/notebook/outputs/charts/vega_frame.ts" }),
    packed({ name: "plotly", entry: "src/features/notebook/outputs/charts/plotly_frame.ts" }),
    adoptedStyles(),
    finished(),
  ],
  resolve: {
    alias: [
      { find: "@clew-run/client/react", replacement: join(client, "react.ts") },
      { find: "@clew-run/client", replacement: join(client, "index.ts") },
      { find: /^@\//, replacement: join(here, "src/") },
    ],
    dedupe: ["react", "react-dom"],
  },
  build: {
    target: "es2022",
    outDir: next,
    emptyOutDir: true,
    assetsInlineLimit: 0, // no data: scripts or styles, for the content security policy
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 700,
    rollupOptions: {
      input: { main: join(here, "index.html"), sw: join(here, "src/sw.ts") },
      output: {
        entryFileNames: (chunk) => (chunk.name === "sw" ? "sw.js" : "assets/[name]-[hash].js"),
        chunkFileNames: "assets/[name]-[hash].js",
        assetFileNames: "assets/[name]-[hash][extname]",
        // Files of a few lines that are there from the first page on cost more for their names than for what they say.
        codeSplitting: {
          includeDependenciesRecursively: false,
          groups: [
            {
              name: "common",
              test: /icons\/chevron-down\.|\/use(Loaded|ServerNow)\.ts|sdk\/typescript\/src\/|node_modules\/(wouter|use-sync-external-store)\//,
            },
          ],
        },
      },
    },
  },
  worker: { format: "es" },
  server: {
    proxy: {
      "/api": { target: process.env.CLEW_SERVER ?? "http://127.0.0.1:8000", ws: true },
      "/ws": { target: process.env.CLEW_SERVER ?? "http://127.0.0.1:8000", ws: true },
    },
  },
});
