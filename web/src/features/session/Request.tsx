import type { Session } from "@clew-run/client";
import type { Virtualizer } from "@tanstack/react-virtual";
import { ArrowUp } from "lucide-react";
import { useCallback, useEffect, useMemo, useState, type RefObject } from "react";
import { useWords } from "@/i18n";
import { column } from "./column";
import { useSpeaker } from "./transcript/RowHead";
import type { Row } from "./transcript/rows";
import { sessionWords } from "./words";

const shown = 300; // letters; a line has room for fewer

/**
 * What was asked for, once the message has scrolled away above: one line that leads to it.
 * It is the last message above the lower edge, and no line if that one is in view.
 */
export function Request({
  session,
  rows,
  virtual,
  box,
  onGo,
}: {
  session: Session;
  rows: readonly Row[];
  virtual: Virtualizer<HTMLDivElement, Element>;
  box: RefObject<HTMLDivElement | null>;
  onGo(index: number): void;
}) {
  const t = useWords(sessionWords);
  const asked = useMemo(() => rows.flatMap((r, i) => (r.kind === "user" ? [i] : [])), [rows]);
  const [at, setAt] = useState(-1);
  const look = useCallback(() => {
    const el = box.current;
    if (!el) return;
    const places = virtual.measurementsCache;
    const last = asked.findLast((i) => (places[i]?.start ?? Infinity) < el.scrollTop + el.clientHeight);
    setAt(last !== undefined && places[last]!.end <= el.scrollTop + 1 ? last : -1);
  }, [asked, virtual, box]);
  const size = virtual.getTotalSize();
  useEffect(look, [look, size]);
  useEffect(() => {
    const el = box.current;
    el?.addEventListener("scroll", look, { passive: true });
    return () => el?.removeEventListener("scroll", look);
  }, [look, box]);
  const row = rows[at];
  const message = row && session.store.message(row.id);
  const name = useSpeaker(row ?? nobody, message);
  if (!row || !message?.text) return null;
  return (
    <div className="absolute inset-x-0 top-0 z-10 border-b border-line bg-paper" data-request>
      <div className={column}>
        <button
          type="button"
          onClick={() => onGo(at)}
          title={t.yourMessage}
          className="flex h-8.5 w-full min-w-0 items-center gap-2 rounded text-left hover:text-ink pointer-coarse:h-11"
        >
          <span className="shrink-0 font-semibold">{name}</span>
          <span className="min-w-0 flex-1 truncate text-soft" dir="auto">
            {message.summary || message.text.slice(0, shown)}
          </span>
          <ArrowUp size={14} aria-hidden className="shrink-0 text-soft" />
        </button>
      </div>
    </div>
  );
}

const nobody: Row = { key: "", kind: "user", id: "", more: [], voice: "user", head: false };
