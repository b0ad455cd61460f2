import type { CheckpointFile } from "@clew-run/client";
import { defaultRangeExtractor, useVirtualizer, type Range as ListRange } from "@tanstack/react-virtual";
import {
  useCallback,
  useDeferredValue,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  type KeyboardEvent,
  type MouseEvent,
  type ReactNode,
} from "react";
import { useWords } from "@/i18n";
import { useNarrow } from "@/lib/useNarrow";
import { cx, Segmented } from "@/ui";
import { useFileColours } from "./colours";
import { place, type Place } from "./comments";
import { Counts, FileHead, LostComment, Note } from "./FileHead";
import { FileTree } from "./FileTree";
import { columnsOf, heightOf } from "./height";
import { commentable, gapKey, itemsOf, linesOf, next, parsedFile, type ParsedFile } from "./items";
import { Gap, LineRow, type RowActions } from "./LineRow";
import { changeReview, useReview } from "./review";
import { SendBar } from "./SendBar";
import { useLayoutChoice, useWidth } from "./useLayoutChoice";
import { useViewed } from "./viewed";
import { diffWords } from "./words";

/** Where remarks go, and under which name those not sent yet are kept. */
export interface Review {
  session: string;
  send(text: string): Promise<unknown>;
}

const treeFrom = 720; // pixels; below that the files have no list beside them
const treeWidth = 232;
const splitFrom = 720;
const headHeight = 38;

/**
 * How files differ, side by side or one under the other. All files are one
 * virtual list, so that ten thousand lines cost no more than what is in view.
 * With a review lines can be commented on, and all comments go as one message.
 * Of the line numbers one is in the tab order, and arrows walk between them.
 */
export function DiffView({
  files,
  total,
  review,
  lead,
}: {
  files: readonly CheckpointFile[];
  /** How many there are in all, if not all are given. */
  total?: number;
  review?: Review;
  /** What stands first in the bar above: what the files are compared with. */
  lead?: ReactNode;
}) {
  const t = useWords(diffWords);
  const phone = useNarrow();
  const [box, width] = useWidth();
  const [chosen, choose] = useLayoutChoice();
  const withTree = width >= treeFrom && files.length > 1;
  const layout = phone
    ? "stacked"
    : (chosen ?? (width - (withTree ? treeWidth : 0) >= splitFrom ? "split" : "stacked"));
  const [folded, setFolded] = useState<ReadonlySet<string>>(new Set());
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const [writing, setWriting] = useState<Place | null>(null);
  const [at, setAt] = useState(0);
  const [picked, setPicked] = useState<string | null>(null); // from the list of files, until somebody scrolls on
  const [side, setSide] = useState<Place["side"]>("after");
  const toFocus = useRef<number | null>(null);
  const scroller = useRef<HTMLDivElement>(null);

  const parsed = useMemo(() => files.map(parsedFile), [files]);
  const sums = useMemo(
    () =>
      parsed.reduce((n, f) => ({ added: n.added + f.added, removed: n.removed + f.removed }), { added: 0, removed: 0 }),
    [parsed],
  );
  const viewed = useViewed(review?.session);
  const seen = (f: ParsedFile) => viewed.has(f.file.paths.relative, f.sum);
  // Files that were seen before are folded at first.
  const [foldedFor, setFoldedFor] = useState<readonly ParsedFile[] | null>(null);
  if (foldedFor === null) {
    setFoldedFor(parsed);
    setFolded(new Set(parsed.filter(seen).map((f) => f.file.paths.relative)));
  }
  const known = useDeferredValue(width > 0, false); // before that it is not known how they are laid out; and a task of its own
  const items = useMemo(
    () => (known ? itemsOf(parsed, { folded, opened }, layout, t) : []),
    [known, parsed, folded, opened, layout, t],
  );
  const heads = useMemo(() => items.flatMap((item, i) => (item.kind === "head" ? [i] : [])), [items]);
  const remarks = useReview(review?.session);
  const { placed, lost } = useMemo(() => {
    const byPath = new Map(parsed.map(({ file, rows }) => [file.paths.relative, rows]));
    return place(remarks, (path) => byPath.get(path) ?? []);
  }, [remarks, parsed]);
  const commentsOf = useMemo(() => {
    const counts = new Map<string, number>();
    for (const c of remarks) counts.set(c.path, (counts.get(c.path) ?? 0) + 1);
    return counts;
  }, [remarks]);

  // The head of the file that is in view stays at the top.
  const sticky = useRef(0);
  const columns = columnsOf(width - (withTree ? treeWidth : 0), layout === "split");
  const virtual = useVirtualizer({
    count: items.length,
    getScrollElement: () => scroller.current,
    estimateSize: (i) => heightOf(items[i]!, columns),
    scrollPaddingStart: headHeight,
    overscan: 8,
    rangeExtractor: useCallback(
      (range: ListRange) => {
        sticky.current = heads.findLast((h) => h <= range.startIndex) ?? 0;
        return [...new Set([sticky.current, ...defaultRangeExtractor(range)])].sort((a, b) => a - b);
      },
      [heads],
    ),
  });
  useLayoutEffect(() => virtual.measure(), [virtual, columns]);
  const more = (total ?? files.length) - files.length;
  const inView = virtual.getVirtualItems();
  const isSeen = inView.some((v) => v.index === at && commentable(items[at]));
  const stop = isSeen ? at : inView.find((v) => v.index !== sticky.current && commentable(items[v.index]))?.index;
  const here = picked ?? items[sticky.current]?.of.file.paths.relative;

  const shown = inView.map((v) => items[v.index]!.of);
  const keys = [...new Set(shown.map((f) => f.key))].join("\n");
  // oxlint-disable-next-line react/exhaustive-deps -- keys stands for what is shown, which is a new list each time
  const colours = useFileColours(useMemo(() => [...new Set(shown)], [keys]));

  const focusLine = useCallback(
    (i: number) => {
      toFocus.current = i;
      setAt(i);
      virtual.scrollToIndex(i);
    },
    [virtual],
  );
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
  const actions = useMemo<RowActions>(
    () => ({
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
        changeReview(latest.current.session!, (list) =>
          list.filter((x) => x.comment !== c.comment || x.text !== c.text || x.path !== c.path),
        );
        if (index !== undefined) focusLine(index);
      },
    }),
    [focusLine],
  );

  const onKey = (e: KeyboardEvent) => {
    const line = e.target as HTMLElement;
    if (line.dataset.line === undefined || e.ctrlKey || e.metaKey || e.altKey) return;
    const from = Number(line.closest<HTMLElement>("[data-index]")!.dataset.index);
    const to: Record<string, () => number> = {
      ArrowDown: () => next(items, from, 1),
      ArrowUp: () => next(items, from, -1),
      PageDown: () => next(items, from, 20),
      PageUp: () => next(items, from, -20),
      Home: () => next(items, -1, 1),
      End: () => next(items, items.length, -1),
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
    setWriting({ path: items[index]!.of.file.paths.relative, side: side as Place["side"], line: Number(line) });
  };
  const goTo = (path: string) => {
    setFolded((f) => without(f, path));
    setPicked(path);
    const head = items.findIndex((i) => i.kind === "head" && i.of.file.paths.relative === path);
    // What lies between is measured on the way, so the place is found again.
    const go = (times: number) => {
      virtual.scrollToOffset(virtual.measurementsCache[head]?.start ?? 0);
      if (times > 0) requestAnimationFrame(() => go(times - 1));
    };
    go(3);
  };
  const setViewed = (f: ParsedFile, on: boolean) => {
    const path = f.file.paths.relative;
    viewed.set(path, f.sum, on);
    setFolded((all) => (on ? new Set(all).add(path) : without(all, path)));
  };
  const seenCount = review ? parsed.filter(seen).length : undefined;
  // A file that changed after it was viewed is opened again.
  const wasSeen = useRef<ReadonlySet<string>>(new Set());
  useEffect(() => {
    const now = new Set(parsed.filter(seen).map((f) => f.file.paths.relative));
    const again = [...wasSeen.current].filter((path) => !now.has(path));
    wasSeen.current = now;
    if (again.length > 0) setFolded((f) => new Set([...f].filter((path) => !again.includes(path))));
    // oxlint-disable-next-line react/exhaustive-deps -- seenCount stands for seen, a new function each time
  }, [parsed, seenCount]);
  return (
    <section ref={box} aria-label={t.changed} className="flex min-h-0 flex-1 flex-col">
      <div className="flex min-h-11 flex-wrap items-center gap-x-3 gap-y-1 border-b border-line px-3 py-1">
        {lead}
        <span className={cx("text-sm whitespace-nowrap text-soft", withTree && !!lead && "sr-only")}>
          {t.files(total ?? files.length)}
        </span>
        <Counts {...sums} />
        {!withTree && seenCount !== undefined && seenCount > 0 && (
          <span className="text-sm whitespace-nowrap text-faint">{t.viewedCount(seenCount, files.length)}</span>
        )}
        <span className="flex-1" />
        {!phone && (
          <Segmented
            label={t.layout}
            value={layout}
            onChange={choose}
            options={[
              { id: "stacked", name: t.stacked },
              { id: "split", name: t.split },
            ]}
          />
        )}
      </div>
      {lost.length > 0 && (
        <ul aria-label={t.lost} className="max-h-40 overflow-y-auto border-b border-line bg-ask-wash" tabIndex={0}>
          {lost.map((c, i) => (
            <LostComment key={i} comment={c} onRemove={() => actions.remove(c)} />
          ))}
        </ul>
      )}
      <div className="flex min-h-0 flex-1">
        {withTree && (
          <FileTree
            files={parsed}
            total={total ?? files.length}
            at={here}
            comments={commentsOf}
            viewed={seen}
            seen={seenCount}
            onGo={goTo}
          />
        )}
        <div
          ref={scroller}
          tabIndex={0}
          role="region"
          aria-label={t.lines}
          onKeyDown={onKey}
          onClick={onClick}
          onWheel={() => setPicked(null)}
          onTouchMove={() => setPicked(null)}
          onPointerDown={() => setPicked(null)}
          className="min-h-0 min-w-0 flex-1 overflow-auto bg-sheet -outline-offset-2"
        >
          <div className="relative" style={{ height: virtual.getTotalSize() }}>
            {inView.map((v) => {
              const item = items[v.index]!;
              const path = item.of.file.paths.relative;
              const stays = v.index === sticky.current;
              return (
                <div
                  key={v.key}
                  data-index={v.index}
                  ref={virtual.measureElement}
                  className={stays ? "sticky top-0 z-10" : "absolute inset-x-0 top-0"}
                  style={stays ? undefined : { transform: `translateY(${v.start}px)` }}
                >
                  {item.kind === "head" && (
                    <FileHead
                      of={item.of}
                      folded={folded.has(path)}
                      viewed={seen(item.of)}
                      onFold={() => setFolded((f) => (f.has(path) ? without(f, path) : new Set(f).add(path)))}
                      onFoldAll={(fold) => setFolded(new Set(fold ? parsed.map((f) => f.file.paths.relative) : []))}
                      onViewed={review && ((on) => setViewed(item.of, on))}
                    />
                  )}
                  {item.kind === "note" && <Note text={item.text} />}
                  {item.kind === "row" && item.row.kind === "gap" && (
                    <Gap
                      row={item.row}
                      words={t}
                      onShow={
                        linesOf(item.of.file)
                          ? () => setOpened((o) => new Set(o).add(gapKey(path, item.row)))
                          : undefined
                      }
                    />
                  )}
                  {item.kind === "row" && item.row.kind !== "gap" && (
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
                      colours={colours.get(item.of.key)}
                      author={t.you}
                      words={t}
                    />
                  )}
                </div>
              );
            })}
          </div>
          {more > 0 && <Note text={t.hidden(more)} />}
        </div>
      </div>
      {review && remarks.length > 0 && (
        <SendBar review={review} comments={[...placed, ...lost]} onSent={() => scroller.current?.focus()} />
      )}
    </section>
  );
}

function without(set: ReadonlySet<string>, key: string): ReadonlySet<string> {
  const next = new Set(set);
  next.delete(key);
  return next;
}
