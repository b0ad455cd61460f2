import type { Inbox, InboxItem, SessionSummary } from "@clew-run/client";
import { useId, useMemo, type ReactNode } from "react";
import { Link, useLocation } from "wouter";
import { useSessionList } from "@/features/inbox/useSessionList";
import { useTimeLeft } from "@/features/session/questions/deadline";
import { kindOf } from "@/features/session/questions/kinds";
import { Revealed } from "@/features/session/questions/Revealed";
import { baseName } from "@/features/start/names";
import { useWords } from "@/i18n";
import { countdown } from "@/lib/format";
import { standing, toneOfSession } from "@/lib/standing";
import { Ago, cx, Mark, type Tone } from "@/ui";
import { uiWords } from "@/ui/words";
import { useMe } from "../account";
import { useInboxState } from "../inbox";
import { appWords } from "../words";
import { sectionsOf } from "./sections";

/** The sessions in the rail: what needs an answer, what works, what was. */
export function RailSessions() {
  const t = useWords(appWords);
  const { items, inbox } = useInboxState();
  const { value } = useSessionList();
  const me = useMe()?.user_id;
  const { asking, running, recent } = useMemo(() => sectionsOf(items, value ?? []), [items, value]);
  return (
    <>
      {asking.length > 0 && (
        <Section name={t.needsYou} count={asking.length}>
          {asking.map(({ item }) => (
            <Line
              key={item.session_id}
              id={item.session_id}
              to={`?question=${item.question.request_id}`}
              title={item.title}
              tone="ask"
              below={<Asks item={item} inbox={inbox} />}
            />
          ))}
        </Section>
      )}
      {running.length > 0 && (
        <Section name={t.running} count={running.length}>
          {running.map((s) => (
            <Line
              key={s.session_id}
              id={s.session_id}
              title={s.title}
              tone={toneOfSession(s, me)}
              live
              below={<Does session={s} me={me} />}
            />
          ))}
        </Section>
      )}
      {recent.map(({ folder, sessions }) => (
        <Section key={folder} name={folder ? t.recentIn(folder) : t.recent}>
          {sessions.map((s) => (
            <Line
              key={s.session_id}
              id={s.session_id}
              title={s.title}
              tone={toneOfSession(s, me)}
              aside={<Ago short ms={s.updated_ms} className="text-xs text-faint" />}
            />
          ))}
        </Section>
      ))}
      {value?.length === 0 && asking.length === 0 && <p className="px-2 pt-4 text-sm text-faint">{t.noSessionsYet}</p>}
      {(value?.length ?? 0) > 0 && (
        <Link
          href="/history"
          className="mt-2 flex h-7.5 items-center rounded px-2 text-sm text-soft hover:bg-hover hover:text-ink pointer-coarse:h-11"
        >
          {t.allSessions}
        </Link>
      )}
    </>
  );
}

function Section({ name, count, children }: { name: string; count?: number; children: ReactNode }) {
  const id = useId();
  return (
    <>
      <p id={id} className="flex items-center gap-1.5 px-2 pt-3.5 pb-1 text-xs font-semibold text-faint">
        <span className="min-w-0 truncate">{name}</span>
        {count !== undefined && (
          <span aria-hidden className="ml-auto font-medium">
            {count}
          </span>
        )}
      </p>
      <ul aria-labelledby={id}>{children}</ul>
    </>
  );
}

function Line({
  id,
  to = "",
  title,
  tone,
  live,
  below,
  aside,
}: {
  id: string;
  to?: string;
  title: string;
  tone: Tone;
  live?: boolean;
  below?: ReactNode;
  aside?: ReactNode;
}) {
  const t = useWords(appWords);
  const [path] = useLocation();
  const here = path === `/s/${id}` || path.startsWith(`/s/${id}/`);
  return (
    <li>
      <Link
        href={`/s/${id}${to}`}
        aria-current={here ? "page" : undefined}
        data-session={id}
        className={cx(
          "grid grid-cols-[12px_minmax(0,1fr)_auto] items-center gap-x-2.25 rounded px-2 py-1.25 hover:bg-hover pointer-coarse:min-h-11",
          here && "bg-hover",
        )}
      >
        <Mark tone={tone} live={live && tone === "run"} size={11} />
        <span className={cx("truncate", here && "font-semibold")}>
          <Revealed text={title || t.untitled} />
        </span>
        {aside ?? <span />}
        {below && <span className="col-[2/4] truncate text-xs tracking-normal text-soft">{below}</span>}
      </Link>
    </li>
  );
}

/** What a session asks for, and how long there is to answer. */
function Asks({ item, inbox }: { item: InboxItem; inbox: Inbox }) {
  const t = useWords(appWords);
  const q = item.question;
  const left = useTimeLeft(inbox, q.request_id, q.deadline_ms, null);
  return (
    <>
      {t.asks[kindOf(q)] ?? t.needsYou} ·{" "}
      {left === null ? <Ago short ms={item.asked_ms} /> : t.timeLeft(countdown(left))}
    </>
  );
}

/** How far a session is, or how it stands, and where. */
function Does({ session: s, me }: { session: SessionSummary; me?: string }) {
  const t = useWords(appWords);
  const status = useWords(uiWords).status;
  const state = standing(s, me);
  const step =
    s.plan && s.plan.total > 0 && (state === "executing" || state === "planning")
      ? t.step(Math.min(s.plan.done + 1, s.plan.total), s.plan.total)
      : (status[state] ?? state);
  return <>{[step, s.workspace && baseName(s.workspace)].filter(Boolean).join(" · ")}</>;
}
