// @vitest-environment node
import { fileURLToPath } from "node:url";
import { parseAst } from "vite";
import { expect, test } from "vitest";
import { judge, sentencesIn, type Parse } from "../../sdk/typescript/test/sentences";

/** What looks into words all the same, and why that is right. */
const allowed: Record<string, string> = {
  'features/diff/colours.ts: text.indexOf("\\n")': "the lines of a file are counted",
  'features/diff/colours.ts: text.indexOf("\\n", at + 1)': "the lines of a file are counted",
  "features/diff/comments.ts: text.matchAll(/`+/g)":
    "a person's lines of code are put between as many ticks as they need",
  'features/notebook/outputs/OutputView.tsx: part.text.replace(/\\n$/, "")':
    "the end of a cell's last line is not an empty line",
  'features/notebook/outputs/charts/ChartOutput.tsx: e.data.why === "kind"': "a code that the frame of charts sends",
  "features/notebook/outputs/charts/ChartOutput.tsx: t.notDrawn[problem]": "a code of the page's own",
  "features/notebook/outputs/output.ts: readers[m.cell.output]": "the kind of an output is a code",
  'features/session/transcript/CellRun.tsx: session.store.message(id)?.cell?.output === "error"':
    "the kind of an output is a code",
  'features/time/ThenLine.tsx: m.cell?.output === "status"': "the kind of an output is a code",
};

test("no page matches, splits or translates a server's sentence", () => {
  const found = sentencesIn(fileURLToPath(new URL(".", import.meta.url)), parseAst as unknown as Parse);
  expect(judge(found, allowed)).toEqual({ matches: [], unused: [] });
});
