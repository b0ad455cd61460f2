import type { Session } from "@clew-run/client";
import { useSnapshot } from "@clew-run/client/react";
import { defaultRangeExtractor, useVirtualizer, type Range } from "@tanstack/react-virtual";
import { ArrowDown } from "lucide-react";
import { useCallback, useEffect, useMemo, useRef, useState, type MouseEvent } from "react";
import { useWords } from "@/i18n";
import { Button, Empty } from "@/ui";
import { atStart, followWithin, held, newSince, scrolled } from "./follow";
import { factsKey, factsOf } from "./groups";
import { FindMarks } from "../find/FindMarks";
import { useHighlights } from "../find/useHighlights";
import { Request } from "../Request";
import type { Note } from "./notes";
import { Older } from "./Older";
import { RowView } from "./RowView";
import type { Row } from "./rows";
import type { Scope } from "./scope";
import { useGroups } from "./useGroups";
import { useOpening } from "./useOpening";
import { useTarget } from "./useTarget";
import { useTranscript } from "./useTranscript";
import { transcriptWords } from "./words";

const pageSize = 200;
const nearEnd = 900; // px: newer messages are fetched before one arrives at the last one held

const guesses: Record<Row["kind"], number> = {
  user: 72,
  text: 84,
  brief: 34,
  reasoning: 30,
  call: 34,
  reads: 34,
  question: 120,
  result: 140,
  output: 120,
  cell: 120,
  error: 70,
  marker: 26,
  return: 26,
  meta: 24,
  group: 50,
};

/**
 * The conversation as a feed. It follows its end while one is there, and holds
 * still when one reads further up; older messages come before without a jump.
 */
export function Transcript({
  session,
  notes,
  scope,
}: {
  session: Session;
  notes: readonly Note[];
  /** Everything, if left out. */ scope?: Scope;
}) {
  const t = useWords(transcriptWords);
  const synced = useSnapshot(session, (s) => s.session !== null);
  const hasOlder = useSnapshot(session, (s) => s.hasOlder);
  const asking = useSnapshot(session, (s) => s.questions.length > 0);
  const hasNewer = useSnapshot(session, (s) => s.hasNewer);
  const box = useRef<HTMLDivElement>(null);
  const [follow, setFollow] = useState(atStart);
  const key = useSnapshot(session, (s) => factsKey(s.tasks));
  const facts = useMemo(() => factsOf(key), [key]);
  const groups = useGroups(facts, !follow.following);
  const { rows, questionOf, currentFrom, groupsWith } = useTranscript(session, notes, facts, groups.isOpen, scope);
  const [focused, setFocused] = useState<string | null>(null);

  const focusedAt = useMemo(() => (focused === null ? -1 : rows.findIndex((r) => r.key === focused)), [rows, focused]);
  const kept = useMemo(() => {
    const list: number[] = focusedAt >= 0 ? [focusedAt] : [];
    if (asking) rows.forEach((r, i) => (r.kind === "call" || r.kind === "question") && questionOf(r) && list.push(i));
    return list;
  }, [rows, focusedAt, questionOf, asking]);
  // What has the focus, and questions that somebody may be answering, stay though out of view.
  const rangeExtractor = useCallback(
    (range: Range) => {
      const seen = defaultRangeExtractor(range);
      const extra = kept.filter((i) => i < range.count && !seen.includes(i));
      return extra.length === 0 ? seen : [...seen, ...extra].sort((a, b) => a - b);
    },
    [kept],
  );

  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => box.current,
    estimateSize: (i) => guesses[rows[i]?.kind ?? "text"],
    getItemKey: (i) => rows[i]?.key ?? i,
    rangeExtractor,
    overscan: 6,
    anchorTo: "end",
    followOnAppend: true,
    scrollEndThreshold: follow.following ? followWithin : -1, // who holds is not taken along
    paddingStart: 36,
    paddingEnd: 20,
  });

  const open = useOpening(virtual, rows.length > 0);

  const lastKey = rows.at(-1)?.key ?? null;
  const lastTop = useRef(0);
  const measure = useCallback(() => {
    const el = box.current;
    if (!el) return;
    const up = el.scrollTop < lastTop.current;
    lastTop.current = el.scrollTop;
    if (!open) return;
    const distance = el.scrollHeight - el.scrollTop - el.clientHeight;
    if (follow.following && distance > followWithin && !up) return virtual.scrollToEnd(); // nobody left: more came at a time than fits
    if (hasNewer && distance < nearEnd) session.loadNewer(pageSize).catch(() => {}); // asked for again with the next move
    setFollow((f) => scrolled(f, hasNewer ? Infinity : distance, lastKey));
  }, [lastKey, open, follow.following, virtual, hasNewer, session]);
  const hold = useCallback(
    (e: MouseEvent<HTMLElement>) => {
      const unfolds = e.target instanceof Element ? e.target.closest("[aria-expanded]") : null;
      if (unfolds && !unfolds.hasAttribute("aria-haspopup")) setFollow((f) => held(f, lastKey));
    },
    [lastKey],
  );
  useEffect(() => session.setView(follow.following ? "newest" : "oldest"), [session, follow.following]);

  // What was unfolded is folded again: who was at the end is there once more.
  const total = virtual.getTotalSize();
  useEffect(() => {
    const el = box.current;
    if (el && open && !hasNewer && el.scrollHeight - el.scrollTop - el.clientHeight <= 1)
      setFollow((f) => (f.following ? f : atStart));
  }, [total, open, hasNewer]);

  // The composer grows, or the window shrinks: who was at the end stays there.
  useEffect(() => {
    const el = box.current;
    if (!el || !open || !follow.following) return;
    const watch = new ResizeObserver(() => (el.scrollTop = el.scrollHeight));
    watch.observe(el);
    return () => watch.disconnect();
  }, [open, follow.following]);

  const toLatest = useCallback(() => {
    setFollow(atStart);
    if (hasNewer) void session.loadNewest().then(() => virtual.scrollToEnd());
    else virtual.scrollToEnd();
  }, [virtual, session, hasNewer]);

  const focusRow = useCallback(
    (i: number) => {
      const row = rows[i];
      if (!row) return;
      setFocused(row.key);
      virtual.scrollToIndex(i, { align: "auto" });
      requestAnimationFrame(() =>
        box.current?.querySelector<HTMLElement>(`[data-index="${i}"] > article`)?.focus({ preventScroll: true }),
      );
    },
    [rows, virtual],
  );
  const toRow = useCallback(
    (i: number) => {
      setFollow((f) => ({ following: false, seen: f.seen ?? lastKey }));
      focusRow(i);
      virtual.scrollToIndex(i, { align: "start" });
    },
    [focusRow, virtual, lastKey],
  );
  const onMove = useCallback(
    (place: number, key: string) => {
      const last = rows.length - 1;
      const to =
        { ArrowUp: place - 1, PageUp: place - 1, ArrowDown: place + 1, PageDown: place + 1, Home: 0, End: last }[key] ??
        place;
      focusRow(Math.max(0, Math.min(last, to)));
    },
    [rows.length, focusRow],
  );
  useTarget(session, rows, box, open, {
    scrollTo: (i) => virtual.scrollToIndex(i, { align: "center" }),
    unfold: (id) => {
      const around = groupsWith(id);
      for (const task of around) groups.set(task, true);
      return around.length > 0;
    },
    leave: () => {
      const el = box.current;
      if (hasOlder || hasNewer || (el && el.scrollHeight > el.clientHeight)) setFollow((f) => held(f, lastKey)); // what is all in view has no end to leave
    },
  });
  useHighlights(session.id, box);

  const owner = useSnapshot(session, (s) => s.session?.role === undefined || s.session.role === "owner");
  const fresh = newSince(follow, rows);
  const reachable = focusedAt >= 0 ? focusedAt : rows.length - 1;
  return (
    <div className="relative flex min-h-0 flex-1 flex-col">
      <h2 className="sr-only">{t.transcript}</h2>
      <Request session={session} rows={rows} virtual={virtual} box={box} onGo={toRow} />
      <div
        ref={box}
        onScroll={measure}
        onClickCapture={hold}
        data-transcript
        data-following={follow.following}
        className="min-h-0 flex-1 overflow-y-auto overscroll-contain [overflow-anchor:none] [scrollbar-gutter:stable_both-edges]"
      >
        {rows.length === 0 && synced && !hasOlder ? (
          <Empty title={t.emptyTitle}>{owner ? t.emptyHelp : t.emptyWatch}</Empty>
        ) : (
          <div
            role="feed"
            aria-label={t.transcript}
            aria-busy={!synced}
            className="relative mx-auto w-full max-w-[800px]"
            style={{ height: total }}
          >
            <Older session={session} box={box} ready={open} hasOlder={hasOlder} />
            {virtual.getVirtualItems().map((item) => {
              const row = rows[item.index];
              if (!row) return null;
              return (
                <div
                  key={item.key}
                  data-index={item.index}
                  ref={virtual.measureElement}
                  className="absolute inset-x-0 top-0"
                  style={{ transform: `translateY(${item.start}px)` }}
                >
                  <RowView
                    session={session}
                    row={row}
                    question={questionOf(row)}
                    current={item.index >= currentFrom}
                    reachable={item.index === reachable}
                    place={item.index}
                    of={hasOlder ? -1 : rows.length}
                    onMove={onMove}
                    onFocusRow={setFocused}
                    onToggle={groups.set}
                  />
                </div>
              );
            })}
          </div>
        )}
      </div>
      <FindMarks sessionId={session.id} />
      {!follow.following && (
        <div className="pointer-events-none absolute inset-x-0 bottom-3 flex justify-center">
          <Button
            icon={<ArrowDown size={14} />}
            className="pointer-events-auto rounded-full shadow-window"
            onClick={toLatest}
            data-new={fresh}
          >
            {fresh > 0 ? t.newRows(fresh) : t.toLatest}
          </Button>
        </div>
      )}
    </div>
  );
}
