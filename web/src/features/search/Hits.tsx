import type { SearchGroup, SearchHit } from "@clew-run/client";
import { FileCode, MessageSquare, SquareTerminal } from "lucide-react";
import { Link } from "wouter";
import { useMe } from "@/app/account";
import { baseName } from "@/features/start/names";
import { useWords } from "@/i18n";
import { standing, toneOfSession } from "@/lib/standing";
import { Ago, cx, Mark } from "@/ui";
import { uiWords } from "@/ui/words";
import { Excerpt, hitPath } from "./Excerpt";
import { searchWords } from "./words";

/** What was found in a session: its best hits, each a way to its place in the session. */
export function Group({ group: g, words }: { group: SearchGroup; words: string }) {
  const t = useWords(searchWords);
  const status = useWords(uiWords).status;
  const me = useMe()?.user_id;
  const state = standing(g, me);
  const title = g.hits.find((h) => h.kind === "title");
  const hits = g.hits.filter((h) => h.kind !== "title");
  return (
    <li
      className="flex items-start gap-3 border-b border-line px-4 py-3 last:border-b-0 phone:px-3"
      data-session={g.session_id}
    >
      <span className="pt-1">
        <Mark tone={toneOfSession(g, me)} size={13} />
        <span className="sr-only">{status[state] ?? state}</span>
      </span>
      <div className="min-w-0 flex-1">
        <h2 className="flex min-w-0 flex-wrap items-baseline gap-x-2">
          <Link
            href={`/s/${g.session_id}`}
            data-hit
            className="min-w-0 truncate rounded-sm font-semibold hover:underline pointer-coarse:py-3"
            dir="auto"
          >
            {title ? <Excerpt of={title.excerpt} /> : g.title || g.session_id}
          </Link>
          {g.workspace && (
            <span className="shrink-0 text-sm font-normal text-faint" title={g.workspace}>
              {baseName(g.workspace)}
            </span>
          )}
          {g.owner && g.owner !== me && <span className="shrink-0 text-sm font-normal text-faint">{g.owner}</span>}
          <span className="ml-auto flex shrink-0 gap-2.5 text-sm font-normal text-faint">
            <span>{t.matches(g.matches)}</span>
            <Ago ms={g.updated_ms} short />
          </span>
        </h2>
        {hits.length > 0 && (
          <ul className="-mx-1.5 mt-0.5">
            {hits.map((h, i) => (
              <li key={i}>
                <HitLink session={g.session_id} hit={h} words={words} />
              </li>
            ))}
          </ul>
        )}
      </div>
    </li>
  );
}

function HitLink({ session, hit, words }: { session: string; hit: SearchHit; words: string }) {
  const t = useWords(searchWords);
  const Icon = hit.kind === "file" ? FileCode : hit.kind === "command" ? SquareTerminal : MessageSquare;
  const who =
    hit.kind === "file" ? t.aFile : hit.kind === "command" ? (hit.output ? t.output : t.aCommand) : (hit.by ?? t.agent);
  return (
    <Link
      href={hitPath(session, hit, words)}
      data-hit
      className="flex min-w-0 items-start gap-x-2 rounded px-1.5 py-[3px] hover:bg-hover pointer-coarse:py-2.5 phone:flex-wrap"
    >
      <span className="flex w-22 shrink-0 items-center gap-2 text-sm leading-5 text-soft">
        <Icon size={14} aria-hidden className="shrink-0" />
        <span className="truncate">{who}</span>
      </span>
      <span
        className={cx(
          "min-w-0 flex-1 wrap-anywhere phone:basis-full",
          hit.kind !== "message" && "font-mono text-sm leading-5",
        )}
        dir="auto"
      >
        <Excerpt of={hit.excerpt} />
      </span>
    </Link>
  );
}
