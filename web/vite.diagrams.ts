import type { Plugin } from "vite";
import { packed } from "./vite.packed.ts";

/** The kinds that are drawn. All of Mermaid would be 1.5 MB, compressed. */
const kinds = ["flowDiagram", "sequenceDiagram", "classDiagram-v2", "stateDiagram-v2", "erDiagram", "ganttDiagram"];

/** The script that draws diagrams. */
export function diagrams(): Plugin {
  return packed({
    name: "diagrams",
    entry: "src/lib/diagram_frame.ts",
    plugins: [trimmed()],
    check(modules) {
      // Its licence is not one that the pages may have (deploy/licenses).
      if (modules.some((id) => /node_modules\/elkjs\//.test(id)))
        throw new Error("elkjs is in the script that draws diagrams");
    },
  });
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
