import { useState } from "react";
import { useWords } from "@/i18n";
import { Markdown } from "@/lib/Markdown";
import { keepBreaks } from "./keepBreaks";
import { transcriptWords } from "./words";

const most = 40; // lines; a longer text begins folded
const begins = 12;

/** What a person wrote, set as Markdown. Of a long text its beginning, the rest on demand. */
export function LongText({ text }: { text: string }) {
  const t = useWords(transcriptWords);
  const [all, setAll] = useState(false);
  const lines = text.trimEnd().split("\n");
  const long = lines.length > most;
  const shown = long && !all ? closed(lines.slice(0, begins)) : text;
  return (
    <>
      <Markdown text={keepBreaks(shown)} />
      {long && (
        <button
          type="button"
          aria-expanded={all}
          onClick={() => setAll(!all)}
          className="mt-1.5 text-sm font-medium text-run hover:underline pointer-coarse:min-h-(--row)"
        >
          {all ? t.showLess : t.showAllLines(lines.length)}
        </button>
      )}
    </>
  );
}

/** The beginning of a text; a block of code that goes on is closed. */
function closed(lines: readonly string[]): string {
  const fences = lines.filter((l) => /^\s*```/.test(l)).length;
  return fences % 2 ? `${lines.join("\n")}\n\`\`\`` : lines.join("\n");
}
