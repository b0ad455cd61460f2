import type { Question, Session } from "@clew-run/client";
import { useQuestions, useSnapshot } from "@clew-run/client/react";
import { useEffect, useMemo, useRef, useState, type RefObject } from "react";
import { useSearch } from "wouter";
import { create } from "zustand";
import { useAccount } from "@/app/account";
import { announce } from "@/app/notices";
import { useWords } from "@/i18n";
import { useNarrow } from "@/lib/useNarrow";
import { answers } from "../header/status";
import { questionsIn } from "../transcript/scope";
import { answerWords } from "./AnswerLine";
import { subjectOf } from "./kinds";
import { settlementOf } from "./QuestionCard";
import { questionWords } from "./words";

/** A request that somebody wants to see, and how often one was wanted: the same may be wanted again. */
const useWanted = create<{ id: string | null; turn: number }>(() => ({ id: null, turn: 0 }));

/** Brings a request up in the sheet. */
export function raise(id: string): void {
  useWanted.setState((s) => ({ id, turn: s.turn + 1 }));
}

/** Whether the page is a phone's, whose requests for approval stand in a sheet above its tabs, for those who may answer. */
export function useHasSheet(session: Session): boolean {
  const role = useSnapshot(session, (s) => s.session?.role);
  return useNarrow() && answers(role);
}

export function isForSheet(q: Question): boolean {
  return q.type === "hitl_approval_request";
}

export interface Sheet {
  open: readonly Question[];
  at: number;
  raised: boolean;
  /** The sheet itself, to see whether it has the focus. */
  box: RefObject<HTMLElement | null>;
  go(to: number): void;
  set(raised: boolean): void;
}

/**
 * The request in a phone's sheet: the nearest deadline first, or the one that was chosen. It
 * comes up by itself, but not over somebody who writes; it goes when it is settled, wherever.
 */
export function useSheet(session: Session, /** Of this one alone. */ monitor?: string): Sheet | null {
  const has = useHasSheet(session);
  const all = useQuestions(session);
  const open = useMemo(() => (has ? questionsIn(all, monitor).filter(isForSheet) : []), [has, all, monitor]);
  const named = new URLSearchParams(useSearch()).get("question");
  const wanted = useWanted();
  const [chosen, setChosen] = useState<string | null>(named);
  const [shown, setShown] = useState<{ id?: string; raised: boolean }>({ raised: false });
  const box = useRef<HTMLElement>(null);

  const at = Math.max(
    0,
    open.findIndex((q) => q.request_id === chosen),
  );
  const q = open[at];
  if (q && shown.id !== q.request_id) setShown({ id: q.request_id, raised: q.request_id === chosen || !isWriting() });

  const wantsFocus = useRef(false);
  const asked = useRef({ named, turn: wanted.turn });
  useEffect(() => {
    const before = asked.current;
    asked.current = { named, turn: wanted.turn };
    const id = wanted.turn !== before.turn ? wanted.id : named !== before.named ? named : null;
    if (!id) return;
    setChosen(id);
    setShown({ id, raised: true });
    wantsFocus.current = wanted.turn !== before.turn;
  }, [named, wanted]);
  useEffect(() => {
    const card = wantsFocus.current && shown.raised ? document.getElementById(`question-${shown.id}`) : null;
    if (!card) return;
    wantsFocus.current = false;
    card.focus({ preventScroll: true });
  }, [shown]);
  useGone(session, q, box);

  if (!q) return null;
  return {
    open,
    at,
    raised: shown.raised,
    box,
    go: (to) => setChosen(open[(to + open.length) % open.length]!.request_id),
    set: (raised) => setShown({ id: q.request_id, raised }),
  };
}

/** Says how a request was settled that left the sheet, and takes the focus to what is there instead. */
function useGone(session: Session, q: Question | undefined, box: RefObject<HTMLElement | null>): void {
  const t = useWords(questionWords);
  const me = useAccount((s) => (s.account.state === "in" ? s.account.me.user_id : undefined));
  const before = useRef(q);
  const within = useRef(false);
  within.current = box.current?.contains(document.activeElement) ?? false;
  useEffect(() => {
    const was = before.current;
    before.current = q;
    if (!was || was.request_id === q?.request_id) return;
    const done = session.store.getSnapshot().settled.find((d) => d.request_id === was.request_id);
    if (done) announce(`${answerWords(settlementOf(done), t, me)}: ${subjectOf(was)}`);
    if (!within.current) return;
    const row = document.querySelector<HTMLElement>(
      was.message_id
        ? `[data-transcript] article[data-message="${CSS.escape(was.message_id)}"]`
        : "[data-transcript] article[tabindex='0']",
    );
    (q ? document.getElementById(`question-${q.request_id}`) : row)?.focus({ preventScroll: true });
  }, [session, q, box, t, me]);
}

function isWriting(): boolean {
  return document.activeElement?.matches("[data-composer]") === true;
}
