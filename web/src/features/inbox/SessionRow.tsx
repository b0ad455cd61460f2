import type { SessionSummary } from "@clew-run/client";
import { Link } from "wouter";
import { useMe } from "@/app/account";
import { useWords } from "@/i18n";
import { money } from "@/lib/format";
import { lastWords, standing, toneOfSession } from "@/lib/standing";
import { Ago, Badge, Mark, Progress } from "@/ui";
import { uiWords } from "@/ui/words";
import { SessionMenu } from "@/features/history/SessionMenu";
import { Revealed } from "@/features/session/questions/Revealed";
import { isRunning } from "./useSessionList";
import { inboxWords } from "./words";

/** A session in a list: where it stands and its last words. One line, two on phones. */
export function SessionRow({ session: s, onChange }: { session: SessionSummary; onChange(): void }) {
  const t = useWords(inboxWords);
  const me = useMe();
  const status = useWords(uiWords).status;
  const state = standing(s, me?.user_id);
  const tone = toneOfSession(s, me?.user_id);
  const last = lastWords(s.last_line ?? "", s.title);
  // A mark alone says of one at rest that it ended well; anything else is said in words as well.
  const says =
    tone === "done" || (state === "idle" && last) ? last : [status[state] ?? state, last].filter(Boolean).join(" · ");
  return (
    <li className="group relative flex items-center first:rounded-t-lg pointer-coarse:pr-1 last:rounded-b-lg hover:bg-hover">
      <Link
        href={`/s/${s.session_id}`}
        className="grid min-h-9.5 min-w-0 flex-1 grid-cols-[12px_minmax(0,14.5rem)_minmax(0,1fr)_auto_3.75rem] items-center gap-x-3 rounded-lg py-2 pl-4 -outline-offset-2 pointer-fine:pr-4 phone:grid-cols-[12px_minmax(0,1fr)_auto]"
      >
        <Mark tone={tone} live={tone === "run"} />
        <span className="flex min-w-0 items-center gap-2">
          <span className={isRunning(s) ? "min-w-0 truncate font-semibold" : "min-w-0 truncate font-medium"}>
            <Revealed text={s.title || t.untitled} />
          </span>
          {s.owner !== undefined && me && s.owner !== me.user_id && <Badge>{t.of(s.owner)}</Badge>}
          {(s.questions ?? 0) > 0 && (
            <Badge tone="ask" label={t.openQuestions(s.questions!)}>
              {s.questions}
            </Badge>
          )}
        </span>
        <span className="min-w-0 truncate text-soft phone:order-last phone:col-[2/4]">
          {says && <Revealed text={says} />}
          {tone === "done" && <span className="sr-only">{status[state]}</span>}
        </span>
        <span className="flex w-21 items-center justify-end gap-2 text-sm text-faint phone:hidden">
          {s.plan && s.plan.total > 0 ? (
            <Progress done={s.plan.done} total={s.plan.total} label={t.planProgress(s.plan.done, s.plan.total)} />
          ) : (
            (s.cost_usd ?? 0) > 0 && money(s.cost_usd!)
          )}
        </span>
        <Ago
          ms={s.updated_ms}
          className="text-right text-sm whitespace-nowrap text-faint pointer-fine:group-focus-within:opacity-0 pointer-fine:group-hover:opacity-0"
        />
      </Link>
      <SessionMenu
        session={s}
        onChange={onChange}
        className="pointer-fine:absolute pointer-fine:right-2 pointer-fine:opacity-0 pointer-fine:group-focus-within:opacity-100 pointer-fine:group-hover:opacity-100 pointer-fine:aria-expanded:opacity-100"
      />
    </li>
  );
}
