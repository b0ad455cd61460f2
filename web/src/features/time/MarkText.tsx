import type { TimelineMark } from "@clew-run/client";
import { useWords } from "@/i18n";
import { Revealed } from "@/features/session/questions/Revealed";
import { transcriptWords } from "@/features/session/transcript/words";
import { describe } from "./marks";
import { timeWords } from "./words";

/** A mark in a line. What was asked is shown as it was to whoever answered: with what the eye would miss. */
export function MarkText({ mark }: { mark: TimelineMark }) {
  const t = useWords(timeWords);
  const { tools } = useWords(transcriptWords);
  const text = describe(mark, t, tools);
  return mark.asked ? <Revealed text={text} /> : text;
}
