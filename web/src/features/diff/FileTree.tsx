import { Check, Folder, MessageSquare } from "lucide-react";
import { useMemo } from "react";
import { useWords } from "@/i18n";
import { cx } from "@/ui";
import { Counts } from "./FileHead";
import type { ParsedFile } from "./items";
import { diffWords } from "./words";

interface Row {
  of: ParsedFile;
  name: string;
}

/** Files by their folder, in the order that they are shown in. */
export function foldersOf(files: readonly ParsedFile[]): { folder: string; rows: Row[] }[] {
  const folders: { folder: string; rows: Row[] }[] = [];
  for (const of of files) {
    const path = of.file.paths.relative;
    const at = path.lastIndexOf("/");
    const folder = at < 0 ? "" : path.slice(0, at);
    const row = { of, name: path.slice(at + 1) };
    const known = folders.find((f) => f.folder === folder);
    if (known) known.rows.push(row);
    else folders.push({ folder, rows: [row] });
  }
  return folders;
}

/** The changed files at the side, to go to one of them. */
export function FileTree({
  files,
  total,
  at,
  comments,
  viewed,
  seen,
  onGo,
}: {
  files: readonly ParsedFile[];
  total: number;
  /** The path of the file in view. */
  at: string | undefined;
  /** How many comments wait in each. */
  comments: ReadonlyMap<string, number>;
  viewed(of: ParsedFile): boolean;
  /** How many were seen, where that is kept. */
  seen?: number;
  onGo(path: string): void;
}) {
  const t = useWords(diffWords);
  const folders = useMemo(() => foldersOf(files), [files]);
  return (
    <nav aria-label={t.changed} className="flex w-58 shrink-0 flex-col overflow-y-auto border-r border-line px-2 pb-3">
      <p className="flex items-baseline justify-between gap-2 px-2.5 pt-2.5 pb-1">
        <span className="font-semibold">{t.files(total)}</span>
        {seen !== undefined && <span className="text-sm text-faint">{t.viewedCount(seen, files.length)}</span>}
      </p>
      {folders.map(({ folder, rows }) => (
        <div key={folder}>
          {folder !== "" && (
            <p className="flex items-center gap-1.5 px-2.5 pt-2 pb-1 text-sm text-soft" title={folder}>
              <Folder size={13} aria-hidden className="shrink-0" />
              <span className="truncate">{folder}</span>
            </p>
          )}
          <ul>
            {rows.map(({ of, name }) => {
              const path = of.file.paths.relative;
              const n = comments.get(path) ?? 0;
              return (
                <li key={path}>
                  <button
                    type="button"
                    aria-current={path === at ? "true" : undefined}
                    title={path}
                    onClick={() => onGo(path)}
                    className={cx(
                      "flex h-7.5 w-full items-center gap-1.5 rounded pr-2 text-left hover:bg-hover pointer-coarse:h-(--row)",
                      folder === "" ? "pl-2.5" : "pl-6.5",
                      path === at && "bg-hover",
                    )}
                  >
                    <bdi
                      className={cx(
                        "min-w-0 flex-1 truncate",
                        viewed(of) && "text-soft",
                        of.file.status === "deleted" && "line-through",
                      )}
                    >
                      {name}
                    </bdi>
                    {viewed(of) && (
                      <span title={t.viewed}>
                        <Check size={12} aria-hidden className="text-run" />
                        <span className="sr-only">{t.viewed}</span>
                      </span>
                    )}
                    {n > 0 && (
                      <span className="flex items-center gap-0.5 text-sm text-ask">
                        <MessageSquare size={12} aria-hidden />
                        {n}
                        <span className="sr-only">{t.notSent(n)}</span>
                      </span>
                    )}
                    <Counts added={of.added} removed={of.removed} className="text-xs" />
                  </button>
                </li>
              );
            })}
          </ul>
        </div>
      ))}
    </nav>
  );
}
