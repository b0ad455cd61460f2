import type { SearchGroup, SessionSummary } from "@clew-run/client";
import { ChevronRight, MessageSquareText, Search as SearchIcon, Settings } from "lucide-react";
import { useEffect, useId, useMemo, useState, type ReactNode } from "react";
import { flushSync } from "react-dom";
import { useLocation } from "wouter";
import { Excerpt, hitPath } from "@/features/search/Excerpt";
import { isRunning, useSessionList } from "@/features/inbox/useSessionList";
import { useWords } from "@/i18n";
import { cx, Dialog, Kbd, Mark } from "@/ui";
import { ago } from "@/lib/format";
import { useDebounced } from "@/lib/useDebounced";
import { standing, toneOfSession } from "@/lib/standing";
import { uiWords } from "@/ui/words";
import { useMe } from "./account";
import { client } from "./client";
import { keyNames, useRegistry } from "./commands";
import { useSettingsParts } from "./settingsParts";
import { appWords } from "./words";

interface Row {
  id: string;
  title: string;
  group: string;
  icon?: ReactNode;
  /** What stands behind the title, quieter. */
  note?: ReactNode;
  keys?: string;
  run(): void;
}

const newest = 4; // sessions, while nothing is looked for
const letters = 2; // from so many on, words inside of sessions are found
const bestHits = 5;
const mostFound = 12; // sessions by their titles
const foremost = 6; // things to do in the session that is open; letters find the others

/** Finds a command, a page or a session by a few letters of it. */
export function Palette({ open, onClose }: { open: boolean; onClose(): void }) {
  const t = useWords(appWords);
  return (
    <Dialog open={open} onClose={onClose} title={t.palette} bare size="palette">
      {open && <Search onClose={onClose} />}
    </Dialog>
  );
}

function Search({ onClose }: { onClose(): void }) {
  const t = useWords(appWords);
  const list = useId();
  const [query, setQuery] = useState("");
  const [chosen, setChosen] = useState(0);
  const rows = useRows(query);
  useEffect(() => setChosen(0), [query]);

  const run = (row: Row | undefined) => {
    if (!row) return;
    flushSync(onClose); // the focus is back where it was before the command puts it elsewhere
    row.run();
  };
  return (
    <div className="flex max-h-[85dvh] flex-col">
      <div className="flex h-13 shrink-0 items-center gap-3 border-b border-line px-4.5">
        <SearchIcon size={18} aria-hidden className="shrink-0 text-soft" />
        <input
          autoFocus
          role="combobox"
          aria-expanded
          aria-controls={list}
          aria-activedescendant={rows[chosen] ? `${list}-${chosen}` : undefined}
          aria-label={t.palette}
          placeholder={t.palette}
          value={query}
          onChange={(e) => setQuery(e.target.value)}
          onKeyDown={(e) => {
            if (e.nativeEvent.isComposing) return;
            if (e.key === "ArrowDown" || e.key === "ArrowUp") {
              e.preventDefault();
              setChosen((c) => Math.min(rows.length - 1, Math.max(0, c + (e.key === "ArrowDown" ? 1 : -1))));
            }
            if (e.key === "Enter") {
              e.preventDefault(); // or it would press what has the focus afterwards
              run(rows[chosen]);
            }
          }}
          className="h-full min-w-0 flex-1 bg-transparent text-lg outline-none pointer-coarse:text-[16px]"
        />
        <span className="pointer-coarse:hidden">
          <Kbd>Esc</Kbd>
        </span>
      </div>
      <div
        id={list}
        role="listbox"
        aria-label={t.palette}
        className="min-h-0 flex-1 overflow-y-auto px-2 pb-2 desk:max-h-[58dvh]"
      >
        {[
          ...Map.groupBy(
            rows.map((row, i) => ({ row, i })),
            ({ row }) => row.group,
          ),
        ].map(([group, members], g) => (
          <div key={group} role="group" aria-labelledby={`${list}-g${g}`}>
            <p id={`${list}-g${g}`} className="px-3 pt-3 pb-1 text-xs font-semibold text-faint">
              {group}
            </p>
            {members.map(({ row, i }) => (
              <div
                key={row.id}
                id={`${list}-${i}`}
                role="option"
                aria-selected={i === chosen}
                ref={i === chosen ? (el) => el?.scrollIntoView({ block: "nearest" }) : undefined}
                onClick={() => run(row)}
                onMouseMove={() => setChosen(i)}
                className={cx(
                  "flex min-h-9.5 cursor-pointer items-center gap-3 rounded px-3 pointer-coarse:min-h-11",
                  i === chosen && "bg-hover",
                )}
              >
                <span aria-hidden className="flex w-4 shrink-0 justify-center text-soft">
                  {row.icon ?? <ChevronRight size={16} />}
                </span>
                <span className="min-w-0 truncate font-medium">{row.title}</span>
                <span className="min-w-0 flex-1 truncate text-sm text-soft">{row.note}</span>
                {row.keys && (
                  <span className="flex gap-1 pointer-coarse:hidden">
                    {keyNames(row.keys).map((k) => (
                      <Kbd key={k}>{k}</Kbd>
                    ))}
                  </span>
                )}
              </div>
            ))}
          </div>
        ))}
      </div>
      {rows.length === 0 && <p className="p-4 text-soft">{t.nothingFound}</p>}
      <p
        aria-hidden
        className="flex shrink-0 items-center gap-3 border-t border-line bg-well px-4.5 py-2 text-sm text-soft phone:hidden"
      >
        <span className="flex items-center gap-1.5">
          <Kbd>↑</Kbd>
          <Kbd>↓</Kbd>
          {t.move}
        </span>
        <span className="flex items-center gap-1.5">
          <Kbd>↵</Kbd>
          {t.run}
        </span>
        <span className="ml-auto flex items-center gap-1.5">
          <Kbd>?</Kbd>
          {t.keymap}
        </span>
      </p>
    </div>
  );
}

/** What fits the letters, in the order in which it is shown: the session that is open comes first. */
function useRows(query: string): Row[] {
  const t = useWords(appWords);
  const [, navigate] = useLocation();
  const commands = useRegistry((r) => r.commands);
  const sessions = useSessionRows(query);
  const settings = useSettingsParts();
  const hits = useHitRows(query);
  return useMemo<Row[]>(() => {
    const wanted = query.trim().toLowerCase();
    const fits = (text: string) => wanted.split(/\s+/).every((w) => text.toLowerCase().includes(w));
    const all = [...commands.values()].filter(
      (c) => c.id !== "palette" && fits(`${c.title} ${c.note ?? ""} ${c.also ?? ""}`),
    );
    const here = all
      .filter((c) => c.here)
      .map((c) => ({ ...c, group: t.thisSession }))
      .sort((a, b) => (a.rank ?? 50) - (b.rank ?? 50))
      .slice(0, wanted === "" ? foremost : undefined);
    const places = all.filter((c) => !c.here && c.group === t.go);
    const others = all.filter((c) => !c.here && c.group !== t.go);
    // The pages of settings come by their names only: without letters, Settings itself is enough.
    const parts =
      wanted === ""
        ? []
        : settings
            .filter((s) => fits(`${t.settings} ${s.name}`))
            .map((s) => ({
              id: s.path,
              title: s.name,
              note: t.settings,
              icon: <Settings size={16} />,
              group: t.settings,
              run: () => navigate(s.path),
            }));
    const everything =
      wanted.length < letters
        ? []
        : [
            {
              id: "search",
              title: t.searchFor(query.trim()),
              icon: <SearchIcon size={16} />,
              group: t.search,
              run: () => navigate(`/search?${new URLSearchParams({ q: query.trim() })}`),
            },
          ];
    return [...here, ...sessions, ...places, ...others, ...parts, ...hits, ...everything];
  }, [query, commands, sessions, settings, hits, t, navigate]);
}

/** Words inside of sessions: the best hit of each of the best sessions. A title is among the sessions already. */
function useHitRows(query: string): Row[] {
  const t = useWords(appWords);
  const [, navigate] = useLocation();
  const [found, setFound] = useState<{ q: string; groups: SearchGroup[] }>({ q: "", groups: [] });
  const q = useDebounced(query.trim(), 200);
  useEffect(() => {
    if (q.length < letters) return setFound({ q, groups: [] });
    const over = new AbortController();
    client.rest.search({ q, limit: bestHits }, over.signal).then(
      ({ groups }) => !over.signal.aborted && setFound({ q, groups }),
      () => {},
    ); // commands are there without a server
    return () => over.abort();
  }, [q]);
  return useMemo(
    () =>
      query.trim().length < letters
        ? []
        : found.groups.flatMap((g) => {
            const hit = g.hits.find((h) => h.message_id);
            if (!hit) return [];
            return [
              {
                id: `hit:${g.session_id}`,
                title: g.title || g.session_id,
                note: <Excerpt of={hit.excerpt} />,
                icon: <MessageSquareText size={16} />,
                group: t.inSessions,
                run: () => navigate(hitPath(g.session_id, hit, found.q)),
              },
            ];
          }),
    [query, found, t, navigate],
  );
}

/** Sessions by a part of their title; without one the newest. */
function useSessionRows(query: string): Row[] {
  const t = useWords(appWords);
  const status = useWords(uiWords).status;
  const [path, navigate] = useLocation();
  const me = useMe()?.user_id;
  const listed = useSessionList().value;
  const found = useFound(query.trim());
  return useMemo(() => {
    const note = (s: Listed) => {
      const state = standing(s, me);
      if (!isRunning(s)) return ago(s.updated_ms, Date.now());
      return state === "executing" && s.plan && s.plan.total > 0
        ? t.step(Math.min(s.plan.done + 1, s.plan.total), s.plan.total)
        : (status[state] ?? state);
    };
    const list: readonly Listed[] =
      query.trim() === ""
        ? (listed ?? []).filter((s) => !path.startsWith(`/s/${s.session_id}`)).slice(0, newest)
        : found;
    return list.map((s) => ({
      id: `s:${s.session_id}`,
      title: s.title || s.session_id,
      note: note(s),
      icon: <Mark tone={toneOfSession(s, me)} />,
      group: query.trim() === "" ? t.recentSessions : t.sessions,
      run: () => navigate(`/s/${s.session_id}`),
    }));
  }, [query, listed, found, me, path, status, t, navigate]);
}

/** A session as the palette shows it. */
type Listed = Omit<SearchGroup, "matches" | "hits"> & Pick<SessionSummary, "plan">;

/**
 * What the server finds, nothing without letters: sessions by a part of their title as the list has
 * it, then those that the search knows by words of it, and archived ones.
 */
function useFound(query: string): readonly Listed[] {
  const [found, setFound] = useState<readonly Listed[]>([]);
  useEffect(() => {
    if (query === "") return setFound([]);
    let over = false;
    const timer = setTimeout(() => {
      const words =
        query.length < letters
          ? []
          : client.rest.search({ q: query, kind: "title", limit: mostFound }).then(
              (r) => r.groups,
              () => [],
            );
      Promise.all([client.rest.sessions.list({ q: query, limit: mostFound }), words]).then(
        ([page, groups]) =>
          !over &&
          setFound(
            [
              ...page.sessions,
              ...groups.filter((g) => page.sessions.every((s) => s.session_id !== g.session_id)),
            ].slice(0, mostFound),
          ),
        () => {}, // commands are there without a server
      );
    }, 120);
    return () => {
      over = true;
      clearTimeout(timer);
    };
  }, [query]);
  return found;
}
