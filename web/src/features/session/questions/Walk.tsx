import { ChevronLeft, ChevronRight } from "lucide-react";
import { useWords } from "@/i18n";
import { IconButton } from "@/ui";
import { questionWords } from "./words";

/** Which of several questions is shown, and the way to the others. */
export function Walk({ at, of, go }: { at: number; of: number; go(to: number): void }) {
  const t = useWords(questionWords);
  return (
    <div className="flex items-center gap-1 text-sm text-soft">
      <span className="flex-1">{t.ofQuestions(at + 1, of)}</span>
      <IconButton label={t.previous} icon={<ChevronLeft size={15} />} onClick={() => go(at - 1)} />
      <IconButton label={t.next} icon={<ChevronRight size={15} />} onClick={() => go(at + 1)} />
    </div>
  );
}
