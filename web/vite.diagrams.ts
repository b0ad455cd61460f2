import { gzipSync } from "node:zlib";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build, type Plugin } from "vite";

const here = fileURLToPath(new URL(".", import.meta.url));
const name = "virtual:diagrams";

/** The kinds that are drawn. All of Mermaid would be 1.5 MB, compressed. */
const kinds = ["flowDiagram", "sequenceDiagram", "classDiagram-v2", "stateDiagram-v2", "erDiagram", "ganttDiagram"];

/**
 * The script that draws diagrams, as one compressed file: it runs in a frame of
 * its own that loads nothing, so the page hands it over as a text. `virtual:diagrams`
 * is its address.
 */
export function diagrams(): Plugin {
  let built: Promise<Buffer> | undefined;
  let command = "build";
  return {
    name: "clew-diagrams",
    configResolved(config) {
      command = config.command === "serve" && process.env.VITEST ? "test" : config.command;
    },
    resolveId: (id) => (id === name ? `\0${name}` : undefined),
    async load(id) {
      if (id !== `\0${name}`) return undefined;
      if (command === "test") return `export default ""`;
      const source = await (built ??= script());
      if (command === "serve") return `export default "data:application/octet-stream;base64,${source.toString("base64")}"`;
      const file = this.emitFile({ type: "asset", name: "diagrams.bin", source });
      return `export default import.meta.ROLLUP_FILE_URL_${file}`;
    },
  };
}

async function script(): Promise<Buffer> {
  const result = await build({
    configFile: false,
    root: here,
    logLevel: "error",
    plugins: [trimmed()],
    define: { "process.env.NODE_ENV": '"production"' },
    build: { write: false, target: "es2022", lib: { entry: join(here, "src/lib/diagram_frame.ts"), formats: ["iife"], name: "diagrams" }, rollupOptions: { output: { codeSplitting: false } } },
  });
  const chunk = (Array.isArray(result) ? result : [result]).flatMap((r) => ("output" in r ? r.output : [])).find((o) => o.type === "chunk")!;
  // Its licence is not one that the pages may have (deploy/licenses).
  if (Object.keys(chunk.modules).some((id) => /node_modules\/elkjs\//.test(id))) throw new Error("elkjs is in the script that draws diagrams");
  return gzipSync(chunk.code, { level: 9 });
}

/** Leaves out what the other kinds need: their parsers, formulas, other ways to lay out. */
function trimmed(): Plugin {
  const left = /^(katex|elkjs|cytoscape|@mermaid-js\/parser)/;
  return {
    name: "clew-trimmed",
    enforce: "pre",
    resolveId(id) {
      const kind = /mermaid\.core\/([\w-]*(?:[dD]iagram|definition)[\w-]*?)-[A-Z0-9]{8}\.mjs$/.exec(id)?.[1];
      if (left.test(id)) return `\0empty ${id}`;
      if (kind !== undefined && !kinds.includes(kind)) return `\0kind ${id}`;
      return undefined;
    },
    load(id) {
      if (id.startsWith("\0kind ")) return `throw new Error("kind"); export const diagram = {};`;
      if (id.startsWith("\0empty ")) return "export const parse = () => {}; export default {};";
      return undefined;
    },
  };
}
