import type { RememberedRule } from "@clew-run/client";
import { useWords } from "@/i18n";
import { Revealed } from "./questions/Revealed";
import { transcriptWords } from "./transcript/words";
import { sessionWords } from "./words";

const shown = 5;

/** What will be asked about again, because it was allowed after the point that a session goes back to. */
export function Forgotten({ rules }: { rules: readonly RememberedRule[] }) {
  const t = useWords(sessionWords);
  const { tools } = useWords(transcriptWords);
  return (
    <span data-forgotten={rules.length}>
      {t.noLongerAllowed}{" "}
      {rules.slice(0, shown).map((r, i) => (
        <span key={r.id}>
          {i > 0 && ", "}
          {tools[r.tool] ?? r.tool}
          {r.pattern && (
            <>
              {" "}
              <code className="font-mono break-all">
                <Revealed text={r.pattern} />
              </code>
            </>
          )}
        </span>
      ))}
      {rules.length > shown && ` ${t.moreAllowed(rules.length - shown)}`}.{" "}
      <span className="text-soft">{t.allowedAnew}</span>
    </span>
  );
}
