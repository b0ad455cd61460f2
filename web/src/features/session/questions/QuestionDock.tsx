import type { Session } from "@clew-run/client";
import { useQuestions } from "@clew-run/client/react";
import { useState } from "react";
import { useWords } from "@/i18n";
import { QuestionCard } from "./QuestionCard";
import { Walk } from "./Walk";
import { questionWords } from "./words";

/**
 * The open questions of a session, one at a time, the nearest deadline first.
 * It stays on the one that somebody looks at until that is settled.
 */
export function QuestionDock({ session }: { session: Session }) {
  const t = useWords(questionWords);
  const questions = useQuestions(session);
  const [chosen, setChosen] = useState<string | null>(null);
  const found = questions.findIndex((q) => q.request_id === chosen);
  const at = found < 0 ? 0 : found;
  const q = questions[at];
  if (!q) return null;
  const go = (to: number) => setChosen(questions[(to + questions.length) % questions.length]!.request_id);
  return (
    <section aria-label={t.openQuestions} className="flex flex-col gap-1 md:max-h-[55dvh] md:overflow-y-auto">
      {questions.length > 1 && <Walk at={at} of={questions.length} go={go} />}
      <QuestionCard key={q.request_id} session={session} question={q} />
    </section>
  );
}
