import type { Session } from "@clew-run/client";
import { ChevronDown, ChevronUp } from "lucide-react";
import { useEffect, useId, useRef } from "react";
import { useWords } from "@/i18n";
import { IconButton, Mark } from "@/ui";
import { Countdown } from "./Countdown";
import { askedAs, askerOf, kindOf, subjectOf } from "./kinds";
import { QuestionCard } from "./QuestionCard";
import { Revealed } from "./Revealed";
import type { Sheet } from "./sheet";
import { Walk } from "./Walk";
import { questionWords } from "./words";

/** A phone's request for approval: within reach of the thumb, above the tabs; lowered, it is a line. */
export function QuestionSheet({
  session,
  sheet: { open, at, raised, box, go, set },
}: {
  session: Session;
  sheet: Sheet;
}) {
  const t = useWords(questionWords);
  const id = useId();
  const toggle = useRef<HTMLButtonElement>(null);
  const pressed = useRef(false);
  const q = open[at]!;
  useEffect(() => {
    if (pressed.current) toggle.current?.focus({ preventScroll: true });
    pressed.current = false;
  }, [raised]);
  const press = () => {
    pressed.current = true;
    set(!raised);
  };
  return (
    <section
      ref={box}
      id={id}
      aria-label={t.sheet}
      data-sheet={raised ? "raised" : "lowered"}
      className="relative z-10 -mt-3 max-h-[66dvh] shrink-0 overflow-y-auto overscroll-contain rounded-t-2xl border-t-3 border-ask bg-sheet shadow-window"
    >
      {raised ? (
        <>
          {open.length > 1 && (
            <div className="px-4 pt-1">
              <Walk at={at} of={open.length} go={go} />
            </div>
          )}
          <QuestionCard
            key={q.request_id}
            session={session}
            question={q}
            sheet={
              <IconButton
                ref={toggle}
                label={t.lower}
                icon={<ChevronDown size={18} />}
                aria-expanded
                aria-controls={id}
                onClick={press}
                className="-mr-2"
              />
            }
          />
        </>
      ) : (
        <button
          ref={toggle}
          type="button"
          aria-expanded={false}
          aria-controls={id}
          aria-label={`${t.raise}: ${t.titles[askedAs(q)](askerOf(q))} ${subjectOf(q)}`}
          onClick={press}
          className="flex min-h-12 w-full items-center gap-2.5 px-4 text-left -outline-offset-2"
        >
          <Mark tone="ask" />
          <span className="min-w-0 flex-1 truncate font-semibold">
            <Revealed text={t.titles[askedAs(q)](askerOf(q))} />
          </span>
          {open.length > 1 && <span className="text-sm text-soft">{t.shortOf(at + 1, open.length)}</span>}
          <Countdown clock={session} question={q} help={t.ifNobody[kindOf(q)]} />
          <ChevronUp size={18} aria-hidden className="shrink-0 text-soft" />
        </button>
      )}
    </section>
  );
}
