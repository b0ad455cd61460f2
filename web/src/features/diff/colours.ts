import type { CheckpointFile } from "@clew-run/client";
import { useEffect, useState } from "react";
import { coloursFor, languageOfPath } from "@/lib/code";
import type { Colours } from "@/lib/code_scopes";
import type { ParsedFile } from "./items";
import type { Row } from "./parse";

/** The colours of one side of a file, and where each line of it begins. */
export interface SideColours {
  colours: Colours;
  startOf(line: number): number | undefined;
}

export interface FileColours {
  before?: SideColours;
  after?: SideColours;
}

/**
 * The colours of those files that are in view. A side is coloured as a whole
 * where its text is at hand, since a line may be in the middle of a comment;
 * else it is what the difference shows of it.
 */
export function useFileColours(files: readonly ParsedFile[]): ReadonlyMap<string, FileColours> {
  const [known, setKnown] = useState<ReadonlyMap<string, FileColours>>(new Map());
  useEffect(() => {
    let over = false;
    void (async () => {
      for (const { file, rows, key } of files) {
        if (known.has(key)) continue;
        const lang = languageOfPath(file.paths.relative);
        const [before, after] =
          lang === ""
            ? []
            : await Promise.all([coloursOfSide("before", file, rows, lang), coloursOfSide("after", file, rows, lang)]);
        if (over) return;
        setKnown((m) => new Map(m).set(key, { before, after }));
      }
    })();
    return () => void (over = true);
  }, [files, known]);
  return known;
}

async function coloursOfSide(
  side: "before" | "after",
  file: CheckpointFile,
  rows: readonly Row[],
  lang: string,
): Promise<SideColours | undefined> {
  const { text, starts } = file.content[side] === "" ? shownText(side, rows) : wholeText(file.content[side]);
  const colours = await coloursFor(text, lang);
  return colours.length === 0 ? undefined : { colours, startOf: (line) => starts.get(line) };
}

interface SideText {
  text: string;
  starts: { get(line: number): number | undefined };
}

function wholeText(text: string): SideText {
  const starts: number[] = [0, 0]; // lines are counted from 1
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return { text, starts: { get: (line) => starts[line] } };
}

function shownText(side: "before" | "after", rows: readonly Row[]): SideText {
  const starts = new Map<number, number>();
  const lines: string[] = [];
  let at = 0;
  for (const row of rows) {
    const line = row[side];
    const number = side === "before" ? row.old : row.new;
    if (line === undefined || number === undefined) continue;
    starts.set(number, at);
    lines.push(line);
    at += line.length + 1;
  }
  return { text: lines.join("\n"), starts };
}
