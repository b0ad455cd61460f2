import type { Session, TranscriptMessage } from "@clew-run/client";
import { useState } from "react";
import { useWords } from "@/i18n";
import { AnsiText } from "@/lib/AnsiText";
import { copyText } from "@/lib/copy";
import { announce } from "@/app/notices";
import { transcriptWords } from "./words";

const shown = 5;

/** Why a call failed: its last lines, unasked. */
export function FailedTail({
  session,
  message: m,
  text,
}: {
  session: Session;
  message: TranscriptMessage;
  text: string;
}) {
  const t = useWords(transcriptWords);
  const [all, setAll] = useState(false);
  const lines = text.trimEnd().split("\n");
  const more = lines.length > shown;
  const cut = m.tool?.output_blob; // what is here is not the whole output, so its lines are not counted
  return (
    <div data-tail className="mt-0.5 mb-1.5 ml-[23px] overflow-hidden rounded bg-fail-wash slim:ml-0">
      <pre
        tabIndex={0}
        role="group"
        aria-label={t.output}
        className="max-h-[60dvh] overflow-auto px-3 py-2 font-mono text-sm break-normal whitespace-pre"
        dir="ltr"
      >
        <AnsiText text={(all ? lines : lines.slice(-shown)).join("\n")} />
      </pre>
      <div className="flex flex-wrap items-center gap-x-3 border-t border-fail-line/55 px-3 py-1 text-sm text-soft">
        {more && !all && <span>{cut ? t.lastLines(shown) : t.lastOf(shown, lines.length)}</span>}
        {more && (
          <button
            type="button"
            aria-expanded={all}
            onClick={() => setAll(!all)}
            className="text-run hover:underline pointer-coarse:min-h-(--row)"
          >
            {all ? t.showLess : t.showAll}
          </button>
        )}
        {cut && (
          <a
            className="text-run hover:underline"
            href={`/api/v1/sessions/${encodeURIComponent(session.id)}/blobs/${encodeURIComponent(cut)}`}
            target="_blank"
            rel="noopener noreferrer"
          >
            {t.whole}
          </a>
        )}
        <button
          type="button"
          onClick={() => void copyText(text).then((done) => done && announce(t.copied))}
          className="text-run hover:underline pointer-coarse:min-h-(--row)"
        >
          {t.copy}
        </button>
      </div>
    </div>
  );
}
