import type { SessionSummary } from "@clew-run/client";
import { useEffect, useId, useMemo, useState } from "react";
import { useLocation } from "wouter";
import { useWords } from "@/i18n";
import { cx, Dialog, Kbd, Mark, toneOf } from "@/ui";
import { standing } from "@/lib/standing";
import { useMe } from "./account";
import { client } from "./client";
import { keyNames, useRegistry } from "./commands";
import { appWords } from "./words";

interface Row {
  id: string;
  title: string;
  group: string;
  keys?: string;
  status?: string;
  run(): void;
}

/** Finds a command or a session by a few letters of it. */
export function Palette({ open, onClose }: { open: boolean; onClose(): void }) {
  const t = useWords(appWords);
  return (
    <Dialog open={open} onClose={onClose} title={t.palette} bare>
      {open && <Search onClose={onClose} />}
    </Dialog>
  );
}

function Search({ onClose }: { onClose(): void }) {
  const t = useWords(appWords);
  const list = useId();
  const [, navigate] = useLocation();
  const [query, setQuery] = useState("");
  const [chosen, setChosen] = useState(0);
  const commands = useRegistry((r) => r.commands);
  const sessions = useSessions(query);
  const me = useMe()?.user_id;

  const rows = useMemo<Row[]>(() => {
    const wanted = query.trim().toLowerCase();
    const fits = (text: string) => wanted.split(/\s+/).every((w) => text.toLowerCase().includes(w));
    return [
      ...[...commands.values()].filter((c) => c.id !== "palette" && fits(`${c.title} ${c.also ?? ""}`)),
      ...sessions.map((s) => ({ id: `s:${s.session_id}`, title: s.title || s.session_id, group: t.sessions, status: standing(s, me), run: () => navigate(`/s/${s.session_id}`) })),
    ];
  }, [query, commands, sessions, me, t, navigate]);
  useEffect(() => setChosen(0), [query]);

  const run = (row: Row | undefined) => {
    if (!row) return;
    onClose();
    row.run();
  };
  return (
    <div className="flex flex-col">
      <input
        autoFocus
        role="combobox"
        aria-expanded
        aria-controls={list}
        aria-activedescendant={rows[chosen] ? `${list}-${chosen}` : undefined}
        aria-label={t.palette}
        placeholder={t.paletteHint}
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
        className="h-12 border-b border-line bg-transparent px-4 text-lg outline-none"
      />
      <ul id={list} role="listbox" aria-label={t.palette} className="max-h-[50dvh] overflow-y-auto p-1">
        {rows.map((row, i) => (
          <li
            key={row.id}
            id={`${list}-${i}`}
            role="option"
            aria-selected={i === chosen}
            ref={i === chosen ? (el) => el?.scrollIntoView({ block: "nearest" }) : undefined}
            onClick={() => run(row)}
            onMouseMove={() => setChosen(i)}
            className={cx("flex min-h-(--row) cursor-pointer items-center gap-2.5 rounded-sm px-3", i === chosen && "bg-hover")}
          >
            {row.status && <Mark tone={toneOf(row.status)} />}
            <span className="min-w-0 flex-1 truncate">{row.title}</span>
            <span className="text-xs text-soft">{row.group}</span>
            {row.keys && <span className="flex gap-1">{keyNames(row.keys).map((k) => <Kbd key={k}>{k}</Kbd>)}</span>}
          </li>
        ))}
      </ul>
      {rows.length === 0 && <p className="p-4 text-soft">{t.nothingFound}</p>}
    </div>
  );
}

/** Sessions by a part of their title; without one the newest. */
function useSessions(query: string): SessionSummary[] {
  const [found, setFound] = useState<SessionSummary[]>([]);
  useEffect(() => {
    let over = false;
    const timer = setTimeout(() => {
      client.rest.sessions.list({ q: query.trim() || undefined, limit: 12 }).then(
        (page) => !over && setFound(page.sessions),
        () => {}, // commands are there without a server, too
      );
    }, 120);
    return () => {
      over = true;
      clearTimeout(timer);
    };
  }, [query]);
  return found;
}
