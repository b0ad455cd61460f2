import { cx } from "@/ui";
import { Revealed } from "./Revealed";

const shown = 400;

/** A unified diff as text. Colour is doubled by the sign at the line's start. */
export function DiffText({ diff, label, more }: { diff: string; label: string; more(lines: number): string }) {
  const lines = diff.replace(/\n$/, "").split("\n");
  return (
    <div tabIndex={0} role="group" aria-label={label} className="max-h-72 overflow-auto rounded bg-sunk py-1.5 font-mono text-sm">
      <pre className="w-max min-w-full break-normal whitespace-pre">
        {lines.slice(0, shown).map((line, i) => (
          <span key={i} className={cx("block px-3", tone(line))}>
            <Revealed text={line === "" ? " " : line} />
          </span>
        ))}
      </pre>
      {lines.length > shown && <p className="px-3 py-1 text-soft">{more(lines.length - shown)}</p>}
    </div>
  );
}

function tone(line: string): string {
  if (line.startsWith("+++") || line.startsWith("---") || line.startsWith("@@")) return "text-soft";
  if (line.startsWith("+")) return "bg-add-wash text-add";
  if (line.startsWith("-")) return "bg-del-wash text-del";
  return "";
}
