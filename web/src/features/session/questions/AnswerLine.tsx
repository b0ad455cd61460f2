import { useWords, type Words } from "@/i18n";
import { useAccount } from "@/app/account";
import { Mark, Time, type Tone } from "@/ui";
import { endedBecause, endWords } from "../ends";
import type { Settlement } from "./answer";
import { Revealed } from "./Revealed";
import { questionWords } from "./words";

const tones: Record<string, Tone> = {
  approve: "done",
  answer: "done",
  modify: "done",
  skip: "past",
  reject: "past",
  cancelled: "past",
};

type T = typeof questionWords extends Words<infer W> ? W : never;

/** How a question was settled, and by whom, in a few words. */
export function answerWords(settled: Settlement, t: T, me: string | undefined): string {
  if (settled.action === "cancelled" && settled.whyCode === "interrupted") return t.stopped;
  if (settled.byTimeout) return t.expired;
  return settled.action === undefined
    ? t.settledElsewhere
    : t.settled[settled.action](settled.by === undefined ? undefined : settled.by === me ? t.you : settled.by);
}

/** Who settled a question, how, and when. What ran out of time was not denied by anybody. */
export function AnswerLine({ settled, subject }: { settled: Settlement; subject?: string }) {
  const t = useWords(questionWords);
  const me = useAccount((s) => (s.account.state === "in" ? s.account.me.user_id : undefined));
  const why = endedBecause(useWords(endWords), settled.action === "cancelled" ? settled.whyCode : undefined);
  const stopped = settled.action === "cancelled" && settled.whyCode === "interrupted";
  const what = answerWords(settled, t, me);
  return (
    <p
      className="flex flex-wrap items-center gap-x-1.5 text-soft"
      data-settled={settled.byTimeout ? "expired" : settled.action}
      aria-label={subject ? `${what}: ${subject}` : undefined}
    >
      <Mark tone={settled.byTimeout ? "past" : (tones[settled.action ?? ""] ?? "past")} size={10} />
      <span className="font-medium text-ink">{what}</span>
      {settled.ts !== undefined && <Time ms={settled.ts} />}
      {why
        ? !stopped && <span className="min-w-0">{why}</span>
        : settled.words && (
            <span className="min-w-0">
              “<Revealed text={settled.words} />”
            </span>
          )}
    </p>
  );
}
