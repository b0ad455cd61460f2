import { ChevronDown, ChevronRight, Copy, Ellipsis, FoldVertical, UnfoldVertical, X } from "lucide-react";
import { useWords } from "@/i18n";
import { copyText } from "@/lib/copy";
import { cx, IconButton, Menu } from "@/ui";
import type { LineComment } from "./comments";
import type { ParsedFile } from "./items";
import { diffWords } from "./words";

/** How many lines came and went. */
export function Counts({ added, removed, className }: { added: number; removed: number; className?: string }) {
  if (added + removed === 0) return null;
  return (
    <span className={cx("inline-flex shrink-0 gap-1.5 font-mono text-sm font-medium whitespace-nowrap", className)}>
      {added > 0 && <span className="text-add">+{added}</span>}
      {removed > 0 && <span className="text-del">−{removed}</span>}
    </span>
  );
}

export function FileHead({
  of: { file, added, removed },
  folded,
  viewed,
  onFold,
  onFoldAll,
  onViewed,
}: {
  of: ParsedFile;
  folded: boolean;
  /** Whether somebody has seen it, where that is kept. */
  viewed?: boolean;
  onFold(): void;
  onFoldAll(fold: boolean): void;
  onViewed?(on: boolean): void;
}) {
  const t = useWords(diffWords);
  const { relative: path, old } = file.paths;
  const name = path.lastIndexOf("/") + 1;
  const status = file.status === "modified" ? undefined : (t.status[file.status ?? ""] ?? file.status);
  return (
    <div className="flex min-h-9.5 items-center gap-2 border-y border-line bg-well pr-1.5 pl-2 -mt-px">
      <button
        type="button"
        aria-expanded={!folded}
        onClick={onFold}
        className="flex min-h-(--row) min-w-0 items-center gap-2 text-left"
      >
        {folded ? (
          <ChevronRight size={14} aria-hidden className="shrink-0 text-soft" />
        ) : (
          <ChevronDown size={14} aria-hidden className="shrink-0 text-soft" />
        )}
        <bdi className="min-w-0 truncate font-mono text-sm text-soft" title={old ? `${old} → ${path}` : path}>
          {old ? `${old} → ` : ""}
          {path.slice(0, name)}
          <span className="font-medium text-ink">{path.slice(name)}</span>
        </bdi>
      </button>
      <Counts added={added} removed={removed} />
      {status && <span className="text-sm whitespace-nowrap text-faint">{status}</span>}
      <span className="flex-1" />
      {onViewed && (
        <label className="flex min-h-(--row) shrink-0 cursor-pointer items-center gap-1.5 px-1 text-sm text-soft">
          <input
            type="checkbox"
            className="size-3.5 accent-(--c-run) pointer-coarse:size-5"
            checked={viewed ?? false}
            onChange={(e) => onViewed(e.target.checked)}
          />
          {t.viewed}
        </label>
      )}
      <Menu
        label={path}
        trigger={
          <IconButton
            label={t.fileMenu(path)}
            icon={<Ellipsis size={16} />}
            className="size-7 pointer-coarse:size-(--row)"
          />
        }
        items={[
          { id: "path", label: t.copyPath, icon: <Copy size={14} />, run: () => void copyText(path) },
          {
            id: "changes",
            label: t.copyChanges,
            icon: <Copy size={14} />,
            disabled: !file.unified,
            run: () => void copyText(file.unified ?? ""),
          },
          "line",
          { id: "fold", label: t.foldAll, icon: <FoldVertical size={14} />, run: () => onFoldAll(true) },
          { id: "unfold", label: t.unfoldAll, icon: <UnfoldVertical size={14} />, run: () => onFoldAll(false) },
        ]}
      />
    </div>
  );
}

export function Note({ text }: { text: string }) {
  return <p className="px-4 py-2 text-soft">{text}</p>;
}

/** A remark whose line is not to be seen any more. It is sent all the same. */
export function LostComment({ comment: c, onRemove }: { comment: LineComment; onRemove(): void }) {
  const t = useWords(diffWords);
  return (
    <li className="flex items-start gap-2 py-1 pr-1 pl-3">
      <div className="min-w-0 flex-1">
        <p className="text-sm text-soft">
          <code className="font-mono break-all">
            {c.path}:{c.line}
          </code>{" "}
          {t.lineGone}
        </p>
        <p className="whitespace-pre-wrap">{c.comment}</p>
      </div>
      <IconButton label={t.removeComment} icon={<X size={14} />} onClick={onRemove} />
    </li>
  );
}
