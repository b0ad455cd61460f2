import type { Question } from "@clew-run/client";
import { Timer } from "lucide-react";
import { useWords } from "@/i18n";
import { countdown } from "@/lib/format";
import { cx } from "@/ui";
import { useTimeLeft, type Clock } from "./deadline";
import { subjectOf } from "./kinds";
import { questionWords } from "./words";

/** How long there is to answer. Its end is said by the server; until then it reads "time is up". */
export function Countdown({ clock, question: q, help }: { clock: Clock; question: Question; help: string }) {
  const t = useWords(questionWords);
  const left = useTimeLeft(clock, q.request_id, q.deadline_ms, subjectOf(q));
  if (left === null) return null;
  return (
    <span
      role="timer"
      title={help}
      data-left={Math.ceil(left / 1000)}
      className={cx(
        "inline-flex items-center gap-1 text-sm font-medium whitespace-nowrap text-ask",
        left <= 60_000 && "font-semibold",
      )}
    >
      <Timer size={14} aria-hidden />
      {left > 0 ? t.left(countdown(left)) : t.timeUp}
    </span>
  );
}
