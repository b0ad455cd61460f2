import type { InboxResponse, Question } from "@clew-run/client";
import { Check, Layers, Pencil, SkipForward } from "lucide-react";
import { useState, type RefObject } from "react";
import { useWords } from "@/i18n";
import { Button } from "@/ui";
import type { Asked } from "./alike";
import { openBatch } from "./BatchHost";
import type { CardKeys } from "./Card";
import { EffectView } from "./EffectView";
import { kindOf, offerOf, offers, ofKernel } from "./kinds";
import { LimitView } from "./LimitView";
import { Refusal } from "./Refusal";
import { Revealed } from "./Revealed";
import { ScopePicker } from "./ScopePicker";
import { useRule } from "./useRule";
import { whyReasons, whyWords } from "./why";
import { questionWords } from "./words";

export interface BodyProps<Q extends Question> {
  question: Q;
  sessionId: string;
  /** It can be answered here and now. */
  live: boolean;
  /** An answer is on its way. */
  busy: boolean;
  give(response: InboxResponse): void;
  keys: RefObject<CardKeys>;
  alike?: readonly Asked[];
}

/** Something that a person has to allow: what it is, and the buttons. */
export function Approval({
  question: q,
  sessionId,
  live,
  busy,
  give,
  keys,
  alike,
}: BodyProps<Extract<Question, { type: "hitl_approval_request" }>>) {
  const t = useWords(questionWords);
  const why = whyWords(useWords(whyReasons), q);
  const kind = kindOf(q);
  const offer = offerOf(q);
  const rule = useRule(sessionId, q);
  const [panel, setPanel] = useState<"deny" | "edit" | null>(null);
  const bound = kind !== "limit" && kind !== "retry" && kind !== "resume";

  const approve = () => {
    if (!busy && rule.ready) give({ action: "approve", remember: rule.remember });
  };
  const deny = () => {
    if (!busy) give({ action: "reject" });
  };
  keys.current = live
    ? {
        a: offers(q, "approve") ? approve : undefined,
        d: offers(q, "reject") ? deny : undefined,
        e: bound ? () => setPanel("edit") : undefined,
      }
    : {};

  const others = (alike?.length ?? 0) > 1 ? alike! : null;
  return (
    <>
      {((kind !== "command" && kind !== "fetch") || ofKernel(q)) && q.reason && (
        <p className="whitespace-pre-wrap">
          <Revealed text={q.reason} />
        </p>
      )}
      {q.todo && (
        <p className="text-soft">
          {t.step}: <Revealed text={q.todo.task} />
        </p>
      )}
      {kind === "limit" && <LimitView question={q} />}
      {(q.effect || q.input !== undefined) && <EffectView question={q} />}
      {why && !q.effect && q.input === undefined && (
        <p className="text-sm text-soft">
          <Revealed text={why} />
        </p>
      )}
      {live && panel === null && offer && offer.scopes.length > 0 && (
        <ScopePicker offer={offer} rule={rule} tool={q.tool ?? ""} />
      )}
      {live && panel === null && (
        <div className="flex flex-wrap items-center gap-2 max-sm:[&>button]:h-12 in-data-sheet:sticky in-data-sheet:bottom-0 in-data-sheet:bg-sheet in-data-sheet:pt-1 in-data-sheet:pb-3 in-data-sheet:[&>button]:h-12">
          {offers(q, "approve") && (
            <Button
              look="main"
              icon={<Check size={15} />}
              keys="A"
              busy={busy}
              disabled={!rule.ready}
              onClick={approve}
              className="max-sm:flex-auto in-data-sheet:w-[calc(50%-0.25rem)]"
            >
              {rule.scope === "once" ? (t.approveAs[kind] ?? t.approve) : t.approveScope[rule.scope]}
            </Button>
          )}
          {offers(q, "reject") && (
            <Button
              keys="D"
              busy={busy}
              onClick={deny}
              className="max-sm:flex-auto in-data-sheet:w-[calc(50%-0.25rem)]"
            >
              {t.denyAs[kind] ?? t.deny}
            </Button>
          )}
          {offers(q, "reject") && (
            <Button look="quiet" busy={busy} onClick={() => setPanel("deny")} className="max-sm:flex-auto">
              {t.denyWith}
            </Button>
          )}
          {offers(q, "skip") && (
            <Button look="quiet" icon={<SkipForward size={14} />} busy={busy} onClick={() => give({ action: "skip" })}>
              {t.skip}
            </Button>
          )}
          {others && (
            <Button look="quiet" icon={<Layers size={14} />} busy={busy} onClick={() => openBatch(others)}>
              {t.approveAlike(others.length)}
            </Button>
          )}
          {bound && offers(q, "reject") && (
            <Button
              look="quiet"
              icon={<Pencil size={15} />}
              keys="E"
              busy={busy}
              onClick={() => setPanel("edit")}
              className="sm:ml-auto"
            >
              {t.edit}
            </Button>
          )}
        </div>
      )}
      {live && panel !== null && (
        <Refusal
          purpose={panel === "edit" ? "instead" : "deny"}
          start={panel === "edit" ? (q.effect?.command ?? "") : ""}
          busy={busy}
          onCancel={() => setPanel(null)}
          onSend={(words) =>
            give({
              action: "reject",
              comment: words === "" ? undefined : panel === "edit" ? `${t.insteadWords} ${words}` : words,
            })
          }
        />
      )}
    </>
  );
}
