import type { SearchGroup, SearchResult } from "@clew-run/client";
import { Search, X } from "lucide-react";
import { useEffect, useRef, useState, type KeyboardEvent } from "react";
import { client } from "@/app/client";
import { useWords } from "@/i18n";
import { useDebounced } from "@/lib/useDebounced";
import { usePages } from "@/lib/usePages";
import { Button, Empty, ErrorNote, IconButton, Kbd, Loading, Segmented } from "@/ui";
import { Choice, Choices } from "./Choices";
import { Group } from "./Hits";
import { kinds, queryOf, useFilters, type Filters } from "./useFilters";
import { searchWords } from "./words";

const againMs = 3000; // while the index is behind

/** Finds words in all sessions: what people and agents said, commands, files, titles. */
export function SearchPage() {
  const t = useWords(searchWords);
  const [filters, change] = useFilters();
  const box = useRef<HTMLDivElement>(null);
  const found = useFound(filters);
  /** The arrows walk through the field and all hits. */
  const onKey = (e: KeyboardEvent) => {
    if ((e.key !== "ArrowDown" && e.key !== "ArrowUp") || e.nativeEvent.isComposing) return;
    const stops = [...box.current!.querySelectorAll<HTMLElement>("[data-hit], input[type=search]")];
    const at = stops.indexOf(document.activeElement as HTMLElement);
    const next = stops[at + (e.key === "ArrowDown" ? 1 : -1)];
    if (at < 0 || !next) return;
    e.preventDefault();
    next.focus();
  };
  const counts = found.head?.counts;
  const of = (k: (typeof kinds)[number]) => (counts && filters.q ? `${t[k]} ${counts[k]}` : t[k]);
  return (
    <div ref={box} onKeyDown={onKey} className="min-h-0 flex-1 overflow-y-auto [scrollbar-gutter:stable]">
      <div className="mx-auto max-w-[892px] px-4 pt-8 pb-10 phone:pt-4">
        <h1 className="sr-only">{t.search}</h1>
        <SearchField q={filters.q} change={change} />
        <div className="flex flex-wrap items-center gap-x-1.5 gap-y-2 pt-3 pb-5">
          <div className="max-w-full overflow-x-auto">
            <Segmented
              label={t.kind}
              value={filters.kind ?? "all"}
              onChange={(k) => change({ kind: k === "all" ? undefined : k })}
              options={[{ id: "all", name: t.everything }, ...kinds.map((k) => ({ id: k, name: of(k) }))]}
            />
          </div>
          <span className="ml-auto flex flex-wrap items-center gap-1.5 phone:ml-0">
            <Choices filters={filters} change={change} />
          </span>
        </div>
        <Results filters={filters} change={change} found={found} />
      </div>
    </div>
  );
}

type Found = ReturnType<typeof useFound>;

/** What the server finds, page by page. What was found before stays until then. */
function useFound(filters: Filters) {
  const [head, setHead] = useState<SearchResult>();
  const pages = usePages<SearchGroup>(JSON.stringify(filters), async (cursor) => {
    if (filters.q.trim() === "") return (setHead(undefined), { items: [] });
    const result = await client.rest.search({ ...queryOf(filters, Date.now()), cursor });
    setHead(result);
    return { items: result.groups, next: result.next };
  });
  const { refresh } = pages;
  useEffect(() => {
    if (!head?.indexing) return;
    const timer = setTimeout(refresh, againMs);
    return () => clearTimeout(timer);
  }, [head, refresh]);
  return { ...pages, head };
}

function SearchField({ q, change }: { q: string; change(c: Partial<Filters>, replace?: boolean): void }) {
  const t = useWords(searchWords);
  const field = useRef<HTMLInputElement>(null);
  const [text, setText] = useState(q);
  const [said, setSaid] = useState(q); // what this field put into the address last
  const settled = useDebounced(text, 200);
  if (q !== said) {
    setSaid(q); // the address changed by itself: back, forth, a link
    setText(q);
  }
  const commit = (words: string) => {
    if (words === q) return;
    setSaid(words);
    change({ q: words }, true);
  };
  const latest = useRef(commit);
  latest.current = commit;
  useEffect(() => latest.current(settled), [settled]);
  return (
    <form role="search" onSubmit={(e) => (e.preventDefault(), commit(text))} className="relative">
      <Search size={18} aria-hidden className="absolute top-1/2 left-3.5 -translate-y-1/2 text-soft" />
      <input
        ref={field}
        type="search"
        autoFocus
        aria-label={t.field}
        placeholder={t.field}
        maxLength={500}
        value={text}
        onChange={(e) => setText(e.target.value)}
        className="h-11 w-full rounded-xl border border-edge bg-sheet pr-12 pl-11 text-lg focus-visible:border-run focus-visible:outline-3 focus-visible:outline-offset-0 focus-visible:outline-run/20 pointer-coarse:text-[16px] [&::-webkit-search-cancel-button]:hidden"
      />
      {text !== "" && (
        <IconButton
          label={t.clear}
          icon={<X size={16} />}
          className="absolute top-1/2 right-1.5 -translate-y-1/2"
          onClick={() => (setText(""), commit(""), field.current?.focus())}
        />
      )}
    </form>
  );
}

function Results({ filters, change, found }: { filters: Filters; change(c: Partial<Filters>): void; found: Found }) {
  const t = useWords(searchWords);
  const { head, items } = found;
  if (filters.q.trim() === "")
    return (
      <Empty icon={<Search size={22} />} title={t.begin}>
        {t.beginHelp}
      </Empty>
    );
  if (found.error !== undefined) return <ErrorNote error={found.error} retry={found.reload} />;
  if (!head) return <Loading />;
  const total = `${head.total}${head.more ? "+" : ""}`;
  const orders = [undefined, "newest" as const].map((sort) => ({
    id: sort ?? "best",
    label: t[sort ?? "best"],
    checked: filters.sort === sort,
    run: () => change({ sort }),
  }));
  return (
    <>
      <div className="flex min-h-6.5 items-center gap-2 pb-1.5">
        <p role="status" className="min-w-0 flex-1 font-semibold">
          {head.total > 0 ? t.found(total, head.sessions) : t.none}
        </p>
        {head.total > 0 && (
          <span className="text-sm text-faint">{t.took((Math.max(10, head.took_ms) / 1000).toFixed(2))}</span>
        )}
        {head.total > 0 && <Choice bare what={t.order} value={t[filters.sort ?? "best"]} items={orders} />}
      </div>
      {head.indexing && <p className="pb-2 text-sm text-soft">{t.indexing}</p>}
      {items.length > 0 ? (
        <ul aria-label={t.results} className="rounded-lg border border-line bg-sheet shadow-card">
          {items.map((g) => (
            <Group key={g.session_id} group={g} words={filters.q.trim()} />
          ))}
        </ul>
      ) : (
        head.total === 0 && <p className="text-soft">{t.noneHelp}</p>
      )}
      {found.more && (
        <div className="flex justify-center pt-4">
          <Button busy={found.loading} onClick={found.loadMore}>
            {t.more}
          </Button>
        </div>
      )}
      {items.length > 0 && (
        <p aria-hidden className="flex gap-3.5 pt-3.5 text-sm text-soft pointer-coarse:hidden">
          <span className="flex items-center gap-1.5">
            <Kbd>↑</Kbd>
            <Kbd>↓</Kbd>
            {t.move}
          </span>
          <span className="flex items-center gap-1.5">
            <Kbd>↵</Kbd>
            {t.open}
          </span>
        </p>
      )}
    </>
  );
}
