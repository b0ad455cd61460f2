import type { Question } from "@clew-run/client";
import { useWords } from "@/i18n";
import { questionWords } from "./words";

/** What a yes to a limit allows, and who may say it. */
export function LimitView({ question: q }: { question: Extract<Question, { type: "hitl_approval_request" }> }) {
  const t = useWords(questionWords);
  const limit = q.limit ?? (q.ask === "mistake_limit_reached" ? "mistakes" : "requests");
  const says = t.limitYes[limit];
  const shared = limit === "budget" || limit === "month" || limit === "time";
  return (
    <ul className="list-disc pl-5 text-soft marker:text-past">
      {says && <li>{says(q.raise ?? 1)}</li>}
      {shared && <li>{q.own_limit ? t.limitOwn : t.limitServer}</li>}
      {t.limitNo[limit] && <li>{t.limitNo[limit]}</li>}
    </ul>
  );
}
