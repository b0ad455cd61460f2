import type { Session } from "@clew-run/client";
import { useQuestions } from "@clew-run/client/react";
import { useState } from "react";
import { ChevronLeft, ChevronRight } from "lucide-react";
import { useWords } from "@/i18n";
import { IconButton } from "@/ui";
import { QuestionCard } from "./QuestionCard";
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
  const go = (by: number) => setChosen(questions[(at + by + questions.length) % questions.length]!.request_id);
  return (
    <section aria-label={t.openQuestions} className="flex flex-col gap-1 md:max-h-[55dvh] md:overflow-y-auto">
      {questions.length > 1 && (
        <div className="flex items-center gap-1 text-sm text-soft">
          <span className="flex-1">{t.ofQuestions(at + 1, questions.length)}</span>
          <IconButton label={t.previous} icon={<ChevronLeft size={15} />} onClick={() => go(-1)} />
          <IconButton label={t.next} icon={<ChevronRight size={15} />} onClick={() => go(1)} />
        </div>
      )}
      <QuestionCard key={q.request_id} session={session} question={q} />
    </section>
  );
}
