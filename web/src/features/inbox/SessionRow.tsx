import type { SessionSummary } from "@clew-run/client";
import { Link } from "wouter";
import { useMe } from "@/app/account";
import { useWords } from "@/i18n";
import { money } from "@/lib/format";
import { lastWords, standing } from "@/lib/standing";
import { Ago, Badge, Mark, Progress, toneOf } from "@/ui";
import { uiWords } from "@/ui/words";
import { SessionMenu } from "@/features/history/SessionMenu";
import { Revealed } from "@/features/session/questions/Revealed";
import { plainLine } from "./plain";
import { inboxWords } from "./words";

/** A session in a list: where it stands and its last words. */
export function SessionRow({ session: s, onChange }: { session: SessionSummary; onChange(): void }) {
  const t = useWords(inboxWords);
  const me = useMe();
  const status = useWords(uiWords).status;
  const state = standing(s, me?.user_id);
  const tone = toneOf(state);
  const last = lastWords(plainLine(s.last_line ?? ""), s.title);
  return (
    <li className="group relative flex items-start rounded hover:bg-hover">
      <Link href={`/s/${s.session_id}`} className="flex min-w-0 flex-1 gap-3 rounded px-2 py-2">
        <span className="mt-1"><Mark tone={tone} live={tone === "run"} /></span>
        <span className="flex min-w-0 flex-1 flex-col gap-0.5">
          <span className="flex items-baseline gap-2">
            <span className="min-w-0 truncate font-medium"><Revealed text={s.title || t.untitled} /></span>
            {s.owner !== undefined && me && s.owner !== me.user_id && <Badge>{t.of(s.owner)}</Badge>}
            {(s.questions ?? 0) > 0 && <Badge tone="ask" label={t.openQuestions(s.questions!)}>{s.questions}</Badge>}
            <span className="ml-auto flex shrink-0 gap-3 text-sm text-soft">
              {(s.cost_usd ?? 0) > 0 && <span>{money(s.cost_usd!)}</span>}
              <Ago ms={s.updated_ms} />
            </span>
          </span>
          <span className="flex min-w-0 gap-2 text-soft">
            <span className="shrink-0">{status[state] ?? state}</span>
            {last && <span className="min-w-0 truncate"><Revealed text={last} /></span>}
          </span>
          {s.plan && s.plan.total > 0 && (
            <span className="flex items-center gap-2 pt-1 text-sm text-soft">
              <span className="w-40 max-w-full"><Progress done={s.plan.done} total={s.plan.total} label={t.planProgress(s.plan.done, s.plan.total)} /></span>
              {s.plan.done}/{s.plan.total}
            </span>
          )}
        </span>
      </Link>
      <SessionMenu session={s} onChange={onChange} className="mt-0.5 pointer-fine:opacity-0 pointer-fine:group-focus-within:opacity-100 pointer-fine:group-hover:opacity-100 pointer-fine:aria-expanded:opacity-100" />
    </li>
  );
}
