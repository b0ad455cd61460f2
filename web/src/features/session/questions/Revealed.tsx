import { useWords } from "@/i18n";
import { pieces } from "./reveal";
import { questionWords } from "./words";

/** Text as it is, with what the eye would miss made visible. */
export function Revealed({ text }: { text: string }) {
  const t = useWords(questionWords);
  return (
    <bdi dir="ltr">
      {pieces(text).map((p, i) =>
        "text" in p ? (
          p.text
        ) : (
          <mark
            key={i}
            title={t.hiddenCharacter}
            className="mx-px rounded-sm border border-fail/60 bg-fail-wash px-0.5 font-mono text-xs text-fail"
          >
            {p.code}
          </mark>
        ),
      )}
    </bdi>
  );
}
