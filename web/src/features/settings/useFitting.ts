import type { Setting } from "@clew-run/client";
import { useWords } from "@/i18n";
import { groupWords, labelWords, type Label } from "./labels";

/** The settings whose label, help, group or key have all words of a query. Both languages count: people remember either. */
export function useFitting(list: Setting[], query: string): Setting[] {
  const groups = useWords(groupWords);
  const wanted = query.toLowerCase().split(/\s+/).filter(Boolean);
  return list.filter((s) => {
    const words = (["en", "ko"] as const)
      .map((l) => (labelWords[l] as Record<string, Label>)[s.key])
      .map((x) => `${x?.label} ${x?.help}`);
    const text = `${s.key} ${groups[s.group ?? ""] ?? ""} ${words.join(" ")}`.toLowerCase();
    return wanted.every((w) => text.includes(w));
  });
}
