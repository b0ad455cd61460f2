import type { CheckpointFile } from "@clew-run/client";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useLayoutEffect, useMemo, useRef, useState, type KeyboardEvent, type MouseEvent } from "react";
import { notifyError } from "@/app/notices";
import { useWords } from "@/i18n";
import { useNarrow } from "@/lib/useNarrow";
import { Button, Segmented } from "@/ui";
import { place, reviewText, type Place } from "./comments";
import { FileHead, LineRow, LostComment, Note, type RowActions } from "./DiffRows";
import { commentable, itemsOf, next } from "./items";
import { rowsOf } from "./parse";
import { changeReview, useReview } from "./review";
import { diffWords } from "./words";

/** Where remarks go, and under which name those not sent yet are kept. */
export interface Review {
  session: string;
  send(text: string): Promise<unknown>;
}

/**
 * How files differ, side by side or one under the other. All files are one
 * virtual list, so that ten thousand lines cost no more than what is in view.
 * With a review lines can be commented on, and all comments go as one message.
 * Of the line numbers one is in the tab order, and arrows walk between them.
 */
export function DiffView({ files, total, narrow, review }: {
  files: readonly CheckpointFile[];
  /** How many there are in all, if not all are given. */
  total?: number;
  /** There is little room: one under the other, unless somebody says otherwise. */
  narrow?: boolean;
  review?: Review;
}) {
  const t = useWords(diffWords);
  const phone = useNarrow();
  const [chosen, setLayout] = useState<"split" | "stacked" | null>(null);
  const layout = phone ? "stacked" : (chosen ?? (narrow ? "stacked" : "split"));
  const [folded, setFolded] = useState<ReadonlySet<string>>(new Set());
  const [writing, setWriting] = useState<Place | null>(null);
  const [busy, setBusy] = useState(false);
  const [at, setAt] = useState(0);
  const [side, setSide] = useState<Place["side"]>("after");
  const toFocus = useRef<number | null>(null);
  const scroller = useRef<HTMLDivElement>(null);

  const parsed = useMemo(() => files.map((file) => ({ file, rows: file.unified ? rowsOf(file.unified) : [] })), [files]);
  const items = useMemo(() => itemsOf(parsed, folded, layout, t), [parsed, folded, layout, t]);
  const remarks = useReview(review?.session);
  const { placed, lost } = useMemo(() => {
    const byPath = new Map(parsed.map(({ file, rows }) => [file.paths.relative, rows]));
    return place(remarks, (path) => byPath.get(path) ?? []);
  }, [remarks, parsed]);

  const virtual = useVirtualizer({
    count: items.length,
    getScrollElement: () => scroller.current,
    estimateSize: (i) => (items[i]!.kind === "row" ? 18 : 36),
    overscan: 8,
  });
  const more = (total ?? files.length) - files.length;
  const inView = virtual.getVirtualItems();
  const seen = inView.some((v) => v.index === at && commentable(items[at]));
  const stop = seen ? at : inView.find((v) => commentable(items[v.index]))?.index;

  const focusLine = (i: number) => {
    toFocus.current = i;
    setAt(i);
    virtual.scrollToIndex(i);
  };
  useLayoutEffect(() => {
    if (toFocus.current === null) return;
    const button = scroller.current?.querySelector<HTMLElement>(`[data-index="${toFocus.current}"] button[data-line]`);
    if (!button) return; // it comes with the next frame
    toFocus.current = null;
    button.focus({ preventScroll: true });
  });

  // One object for all rows and renders, so that rows that did not change stay.
  const latest = useRef({ items, session: review?.session });
  latest.current = { items, session: review?.session };
  const actions = useMemo<RowActions>(() => ({
    cancel: (index) => {
      setWriting(null);
      focusLine(index);
    },
    add: (c, index) => {
      changeReview(latest.current.session!, (list) => [...list, c]);
      setWriting(null);
      focusLine(index);
    },
    remove: (c, index) => {
      changeReview(latest.current.session!, (list) => list.filter((x) => x.comment !== c.comment || x.text !== c.text || x.path !== c.path));
      if (index !== undefined) focusLine(index);
    },
  }), []);

  const onKey = (e: KeyboardEvent) => {
    const line = e.target as HTMLElement;
    if (line.dataset.line === undefined || e.ctrlKey || e.metaKey || e.altKey) return;
    const from = Number(line.closest<HTMLElement>("[data-index]")!.dataset.index);
    const to: Record<string, () => number> = {
      ArrowDown: () => next(items, from, 1), ArrowUp: () => next(items, from, -1), PageDown: () => next(items, from, 20), PageUp: () => next(items, from, -20),
      Home: () => next(items, -1, 1), End: () => next(items, items.length, -1),
    };
    if (to[e.key]) focusLine(to[e.key]!());
    else if (e.key === "ArrowLeft" || e.key === "ArrowRight") {
      toFocus.current = from; // the button is another one then
      setSide(e.key === "ArrowLeft" ? "before" : "after");
    } else return;
    e.preventDefault();
  };
  const onClick = (e: MouseEvent) => {
    const { line, side } = (e.target as HTMLElement).dataset;
    const index = Number((e.target as HTMLElement).closest<HTMLElement>("[data-index]")?.dataset.index);
    if (line === undefined || !review) return;
    setAt(index);
    setSide(side as Place["side"]);
    setWriting({ path: items[index]!.file.paths.relative, side: side as Place["side"], line: Number(line) });
  };

  const send = async () => {
    setBusy(true);
    try {
      await review!.send(reviewText(t.intro, [...placed, ...lost]));
      changeReview(review!.session, () => []); // only now: a failed send keeps them
      scroller.current?.focus();
    } catch (e) {
      notifyError(e);
    } finally {
      setBusy(false);
    }
  };
  return (
    <section aria-label={t.changed} className="flex min-h-0 flex-1 flex-col">
      <div className="flex flex-wrap items-center gap-2 border-b border-line px-3 py-1.5">
        <span className="mr-auto text-soft">{t.files(total ?? files.length)}</span>
        {review && remarks.length > 0 && <Button look="main" busy={busy} onClick={() => void send()}>{t.send(remarks.length)}</Button>}
        {!phone && <Segmented label={t.layout} value={layout} onChange={setLayout} options={[{ id: "split", name: t.split }, { id: "stacked", name: t.stacked }]} />}
      </div>
      {lost.length > 0 && (
        <ul aria-label={t.lost} className="max-h-40 overflow-y-auto border-b border-line bg-ask-wash" tabIndex={0}>
          {lost.map((c, i) => <LostComment key={i} comment={c} onRemove={() => actions.remove(c)} />)}
        </ul>
      )}
      <div ref={scroller} tabIndex={0} role="region" aria-label={t.lines} onKeyDown={onKey} onClick={onClick} className="min-h-0 flex-1 overflow-auto -outline-offset-2 [tab-size:4]">
        <div className="relative" style={{ height: virtual.getTotalSize() }}>
          {inView.map((v) => {
            const item = items[v.index]!;
            const path = item.file.paths.relative;
            return (
              <div key={v.key} data-index={v.index} ref={virtual.measureElement} className="absolute inset-x-0 top-0" style={{ transform: `translateY(${v.start}px)` }}>
                {item.kind === "head" && (
                  <FileHead file={item.file} added={item.added} removed={item.removed} folded={folded.has(path)} onFold={() => setFolded((f) => toggled(f, path))} />
                )}
                {item.kind === "note" && <Note text={item.text} />}
                {item.kind === "row" && (
                  <LineRow
                    index={v.index}
                    path={path}
                    row={item.row}
                    split={layout === "split"}
                    showCr={item.showCr}
                    comments={placed}
                    writing={writing?.path === path ? writing : null}
                    stop={v.index === stop ? side : null}
                    actions={review ? actions : undefined}
                    words={t}
                  />
                )}
              </div>
            );
          })}
        </div>
        {more > 0 && <Note text={t.hidden(more)} />}
      </div>
    </section>
  );
}

function toggled(set: ReadonlySet<string>, key: string): ReadonlySet<string> {
  const next = new Set(set);
  if (!next.delete(key)) next.add(key);
  return next;
}
