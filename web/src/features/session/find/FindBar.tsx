import type { FoundKind, SearchResult, Session } from "@clew-run/client";
import { ChevronDown, ChevronUp, Search, X } from "lucide-react";
import { useEffect, useRef, useState, type KeyboardEvent } from "react";
import { useSearch } from "wouter";
import { client } from "@/app/client";
import { useWords } from "@/i18n";
import { useDebounced } from "@/lib/useDebounced";
import { Button, cx, IconButton } from "@/ui";
import { column } from "../column";
import { closeFind, goTo, nearest, openFind, setHits, useFind, type Hit } from "./find";
import { findWords } from "./words";

const kinds = ["message", "command", "file"] as const satisfies FoundKind[];
type Kind = (typeof kinds)[number];

/** Finds in the whole history of the session. It stands above the column, so it covers nothing. */
export function FindBar({ session }: { session: Session }) {
  const open = useFind((s) => s.session === session.id);
  const asked = new URLSearchParams(useSearch()).get("find");
  useEffect(() => {
    if (asked) openFind(session.id, asked); // a hit of the search over all sessions was opened
  }, [asked, session.id]);
  useEffect(() => () => useFind.setState({ session: null }), [session.id]);
  return open ? <Bar session={session} /> : null;
}

function Bar({ session }: { session: Session }) {
  const t = useWords(findWords);
  const { words, asked, hits, at } = useFind();
  const [text, setText] = useState(words);
  const [kind, setKind] = useState<Kind>();
  const q = useDebounced(text.trim(), 200);
  const { head, failed, again } = useHits(session, q, kind);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (asked === 0) return;
    field.current?.focus();
    field.current?.select();
  }, [asked]);
  const step = (by: number) => (failed ? again() : goTo(at + by));
  const onKey = (e: KeyboardEvent) => {
    if (e.nativeEvent.isComposing) return;
    if (e.key === "Escape") closeFind();
    else if (e.key === "Enter" && e.target === field.current) step(e.shiftKey ? -1 : 1);
    else return;
    e.preventDefault();
    e.stopPropagation();
  };
  const counts = q !== "" ? head?.counts : undefined;
  const all = counts && kinds.reduce((n, k) => n + counts[k], 0);
  const chip = (k: Kind | undefined, name: string, n: number | undefined) => (
    <button
      key={name}
      type="button"
      aria-pressed={kind === k}
      onClick={() => setKind(k)}
      className={cx(
        "h-6.5 rounded px-2 text-sm font-medium whitespace-nowrap pointer-coarse:h-(--row)",
        kind === k ? "bg-run-wash text-run" : "text-soft hover:bg-hover",
      )}
    >
      {name}
      {n !== undefined && ` ${n}`}
    </button>
  );
  const state =
    q === ""
      ? ""
      : failed
        ? t.failed
        : head && hits.length === 0
          ? t.none
          : at >= 0
            ? t.at(at + 1, `${hits.length}${head?.more ? "+" : ""}`)
            : "";
  return (
    <div
      role="search"
      aria-label={t.find}
      onKeyDown={onKey}
      className="shrink-0 border-b border-line bg-well py-2"
      data-find
    >
      <div className={cx(column, "flex flex-wrap items-center gap-x-1.5 gap-y-1")}>
        <span className="relative min-w-40 flex-1 basis-40 sm:max-w-66">
          <Search size={14} aria-hidden className="absolute top-1/2 left-2.5 -translate-y-1/2 text-soft" />
          <input
            ref={field}
            type="search"
            aria-label={t.find}
            placeholder={t.find}
            maxLength={500}
            value={text}
            onChange={(e) => setText(e.target.value)}
            className="h-8 w-full rounded border border-edge bg-sheet pr-9 pl-8 focus-visible:border-run focus-visible:outline-3 focus-visible:outline-offset-0 focus-visible:outline-run/20 pointer-coarse:h-(--row) pointer-coarse:text-[16px] [&::-webkit-search-cancel-button]:hidden"
          />
          {text !== "" && (
            <IconButton
              label={t.clear}
              icon={<X size={14} />}
              className="absolute top-1/2 right-0.5 -translate-y-1/2"
              onClick={() => (setText(""), field.current?.focus())}
            />
          )}
        </span>
        <span role="group" aria-label={t.kind} className="flex gap-0.5 max-sm:order-last max-sm:w-full">
          {chip(undefined, t.all, all)}
          {kinds.map((k) => chip(k, t[k], counts?.[k]))}
        </span>
        <span className="ml-auto flex items-center gap-0.5">
          <span role="status" className="px-1 text-sm whitespace-nowrap text-soft tabular-nums" data-find-at>
            {state}
          </span>
          <IconButton
            label={t.previous}
            icon={<ChevronUp size={16} />}
            keys="Shift+Enter"
            disabled={hits.length === 0}
            onClick={() => goTo(at - 1)}
          />
          <IconButton
            label={t.next}
            icon={<ChevronDown size={16} />}
            keys="Enter"
            disabled={hits.length === 0}
            onClick={() => goTo(at + 1)}
          />
          <Button look="quiet" className="px-2" onClick={closeFind}>
            {t.done}
          </Button>
        </span>
      </div>
    </div>
  );
}

/** Asks for all matches, page by page, and goes to the first of them that is in view or below. */
function useHits(
  session: Session,
  q: string,
  kind: Kind | undefined,
): { head: SearchResult | undefined; failed: boolean; again(): void } {
  const [head, setHead] = useState<SearchResult>();
  const [failed, setFailed] = useState(false);
  const [round, setRound] = useState(0);
  const named = useRef(new URLSearchParams(location.search).get("message"));
  useEffect(() => {
    setFailed(false);
    if (q === "") {
      setHead(undefined);
      return setHits([], 0);
    }
    const over = new AbortController();
    const read = async () => {
      const hits: Hit[] = [];
      let cursor: string | undefined;
      do {
        const page = await client.rest.search({ q, kind, session: session.id, limit: 500, cursor }, over.signal);
        const first = hits.length === 0;
        const group = page.groups[0];
        hits.push(...((group?.hits ?? []).filter((h) => h.message_id) as Hit[]));
        if (over.signal.aborted) return;
        setHits([...hits], group?.last_seq ?? 0);
        setHead(page);
        if (first) begin(hits, named.current);
        named.current = null;
        cursor = page.next;
      } while (cursor !== undefined);
    };
    read().catch(() => !over.signal.aborted && setFailed(true));
    return () => over.abort();
  }, [session, q, kind, round]);
  return { head, failed, again: () => setRound((r) => r + 1) };
}

function begin(hits: readonly Hit[], named: string | null): void {
  const at = named === null ? -1 : hits.findIndex((h) => h.message_id === named);
  if (at >= 0) return useFind.setState({ at }); // the address leads there already
  goTo(nearest(hits, inView()));
}

/** The first message that is in view. */
function inView(): string | undefined {
  const box = document.querySelector("[data-transcript]");
  const top = box?.getBoundingClientRect().top ?? 0;
  return [...(box?.querySelectorAll<HTMLElement>("article[data-message]") ?? [])].find(
    (a) => a.getBoundingClientRect().bottom > top,
  )?.dataset.message;
}
