import { useState } from "react";
import { useWords } from "@/i18n";
import { notebookWords } from "../words";

const atOnce = 100;
const openTo = 1;

/** A JSON value as a tree: what is deep is folded, and made when it is unfolded. */
export function JsonTree({ value }: { value: unknown }) {
  const t = useWords(notebookWords);
  return (
    <div
      tabIndex={0}
      role="group"
      aria-label={t.json}
      className="nb-tall rounded-lg border border-line bg-sheet px-3 py-2 font-mono text-sm -outline-offset-2"
      data-output="json"
    >
      <Node value={value} depth={0} />
    </div>
  );
}

function Node({ name, value, depth }: { name?: string; value: unknown; depth: number }) {
  const [open, setOpen] = useState(depth < openTo);
  const key = name !== undefined && (
    <span className="text-s-fn">
      {name}
      <span className="text-faint">: </span>
    </span>
  );
  if (typeof value !== "object" || value === null)
    return (
      <div className="pl-4 break-words">
        {key}
        <Leaf value={value} />
      </div>
    );
  const list = Array.isArray(value);
  const parts = Object.entries(value);
  if (parts.length === 0)
    return (
      <div className="pl-4">
        {key}
        <span className="text-faint">{list ? "[]" : "{}"}</span>
      </div>
    );
  return (
    <details open={open} onToggle={(e) => setOpen(e.currentTarget.open)}>
      <summary className="min-h-6 rounded-sm pointer-coarse:min-h-9">
        {key}
        <span className="text-faint">{list ? `[${parts.length}]` : `{${parts.length}}`}</span>
      </summary>
      {open && (
        <div className="ml-1 border-l border-line pl-2">
          <Parts parts={parts} depth={depth + 1} />
        </div>
      )}
    </details>
  );
}

function Parts({ parts, depth }: { parts: readonly [string, unknown][]; depth: number }) {
  const t = useWords(notebookWords);
  const [most, setMost] = useState(atOnce);
  return (
    <>
      {parts.slice(0, most).map(([name, value]) => (
        <Node key={name} name={name} value={value} depth={depth} />
      ))}
      {parts.length > most && (
        <button
          type="button"
          onClick={() => setMost(most + atOnce)}
          className="rounded pl-4 font-sans text-run hover:underline pointer-coarse:min-h-(--row)"
        >
          {t.moreOf(parts.length - most)}
        </button>
      )}
    </>
  );
}

function Leaf({ value }: { value: unknown }) {
  if (typeof value === "string") return <span className="whitespace-pre-wrap text-s-str">{JSON.stringify(value)}</span>;
  return <span className="text-s-num">{String(value)}</span>;
}
