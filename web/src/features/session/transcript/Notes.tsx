import type { Session, TranscriptMessage } from "@clew-run/client";
import { Link } from "wouter";
import { useWords } from "@/i18n";
import { AnsiText } from "@/lib/AnsiText";
import { count, duration, money } from "@/lib/format";
import { Pre, Time } from "@/ui";
import { isStop } from "./rows";
import { transcriptWords } from "./words";

/** A slim note on the thread: a checkpoint, a condensed context, a retry. */
export function Marker({ session, message: m }: { session: Session; message: TranscriptMessage }) {
  const t = useWords(transcriptWords);
  const c = m.context_condense;
  const more = c?.tokens_before
    ? t.fromTo(count(c.tokens_before), count(c.tokens_after ?? 0))
    : m.context_truncation?.hidden
      ? t.hidden(m.context_truncation.hidden)
      : isStop(m)
        ? ""
        : shortText(m);
  const name = t.markers[m.say ?? ""] ?? m.say ?? "";
  return (
    <p className="flex min-w-0 flex-wrap items-baseline gap-x-2 py-0.5 text-sm text-soft">
      {m.say === "checkpoint_saved" ? (
        <Link
          href={`/s/${session.id}/time?at=${m.message_id}`}
          className="shrink-0 underline-offset-2 hover:text-ink hover:underline"
        >
          {name}
        </Link>
      ) : (
        <span className="shrink-0">{name}</span>
      )}
      {more && <span className="min-w-0 wrap-anywhere">{more}</span>}
      <Time ms={m.ts} className="shrink-0 text-xs" />
    </p>
  );
}

function shortText(m: TranscriptMessage): string {
  const hash = m.checkpoint?.hash;
  return typeof hash === "string" ? hash.slice(0, 7) : (m.summary ?? m.text ?? "").split("\n", 1)[0]!.slice(0, 200);
}

/** Something failed: what, and what one can do. */
export function ErrorRow({ message: m }: { message: TranscriptMessage }) {
  const t = useWords(transcriptWords);
  return (
    <div className="rounded border border-fail/40 bg-fail-wash px-3 py-2">
      <p className="whitespace-pre-wrap">{m.text ?? m.summary}</p>
      <p className="pt-0.5 text-sm text-soft">{t.errorHelp}</p>
    </div>
  );
}

/** Output whose call is further up than what is loaded. */
export function LoneOutput({ message: m }: { message: TranscriptMessage }) {
  const t = useWords(transcriptWords);
  return (
    <Pre label={t.output} className="max-h-60">
      <AnsiText text={m.text ?? ""} />
    </Pre>
  );
}

/** The model calls of a turn in one quiet line. */
export function Meta({ session, ids }: { session: Session; ids: readonly string[] }) {
  const t = useWords(transcriptWords);
  const list = ids.map((id) => session.store.message(id)).filter((m) => m !== undefined);
  const done = list.filter((m) => m.say === "api_req_finished");
  const sum = done.reduce(
    (a, m) => ({
      in: a.in + (m.usage?.tokens_in ?? 0),
      out: a.out + (m.usage?.tokens_out ?? 0),
      cached: a.cached + (m.usage?.cache_reads ?? 0),
      cost: a.cost + (m.usage?.cost_usd ?? 0),
    }),
    { in: 0, out: 0, cached: 0, cost: 0 },
  );
  const models = [...new Set(list.map((m) => m.metadata?.model).filter((x) => typeof x === "string"))];
  const calls = list.filter((m) => m.say === "api_req_started").length;
  const ms = list.length > 1 ? list.at(-1)!.ts - list[0]!.ts : 0;
  const parts = [
    models.join(", "),
    t.calls(calls),
    t.tokensIn(count(sum.in)),
    t.tokensOut(count(sum.out)),
    sum.cached > 0 && t.cached(count(sum.cached)),
    sum.cost > 0 && money(sum.cost),
    ms > 0 && duration(ms),
  ];
  return <p className="py-0.5 font-mono text-xs text-soft">{parts.filter(Boolean).join(" · ")}</p>;
}
