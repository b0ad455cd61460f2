import { gzipSync } from "node:zlib";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build, type Plugin, type Rolldown } from "vite";

const here = fileURLToPath(new URL(".", import.meta.url));

/** What makes one of the scripts. */
export interface Packed {
  /** `virtual:<name>` is its address. */
  name: string;
  entry: string;
  plugins?: Plugin[];
  check?(modules: readonly string[]): void;
}

/**
 * A script that draws what strangers wrote, as one compressed file: it runs in a frame
 * of its own that loads nothing, so the page hands it over as a text.
 */
export function packed(p: Packed): Plugin {
  const id = `virtual:${p.name}`;
  let built: Promise<Buffer> | undefined;
  let command = "build";
  return {
    name: `clew-${p.name}`,
    configResolved(config) {
      command = config.command === "serve" && process.env.VITEST ? "test" : config.command;
    },
    resolveId: (asked) => (asked === id ? `\0${id}` : undefined),
    async load(asked) {
      if (asked !== `\0${id}`) return undefined;
      if (command === "test") return `export default ""`;
      const source = await (built ??= script(p));
      if (command === "serve")
        return `export default "data:application/octet-stream;base64,${source.toString("base64")}"`;
      const file = this.emitFile({ type: "asset", name: `${p.name}.bin`, source });
      return `export default import.meta.ROLLUP_FILE_URL_${file}`;
    },
  };
}

async function script({ name, entry, plugins, check }: Packed): Promise<Buffer> {
  const result = await build({
    configFile: false,
    root: here,
    logLevel: "error",
    plugins,
    define: { "process.env.NODE_ENV": '"production"' },
    build: {
      write: false,
      target: "es2022",
      lib: { entry: join(here, entry), formats: ["iife"], name },
      rollupOptions: { output: { codeSplitting: false } },
    },
  });
  const outputs = (Array.isArray(result) ? result : [result]).flatMap((r) => ("output" in r ? r.output : []));
  const chunk = outputs.find((o): o is Rolldown.OutputChunk => o.type === "chunk")!;
  check?.(Object.keys(chunk.modules));
  return gzipSync(chunk.code, { level: 9 });
}
