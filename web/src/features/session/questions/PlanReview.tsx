import type { Question } from "@clew-run/client";
import { Check, Pencil, Send, Undo2, X } from "lucide-react";
import { useState } from "react";
import { useWords } from "@/i18n";
import { duration, money } from "@/lib/format";
import { Button } from "@/ui";
import { forgetDraft, useDraft } from "../plan/useDraft";
import { PlanEditor } from "../plan/PlanEditor";
import type { BodyProps } from "./Approval";
import { Refusal } from "./Refusal";
import { Revealed } from "./Revealed";
import { questionWords } from "./words";

/**
 * A plan to say yes to, to change or to refuse. The answer is about the version
 * shown, so with changes in hand they are what can be sent, not a yes.
 */
export function PlanReview({
  question: q,
  live,
  busy,
  give,
  keys,
}: BodyProps<Extract<Question, { type: "hitl_plan_review" }>>) {
  const t = useWords(questionWords);
  const { draft, set, clear, changes, count, carried } = useDraft(q.plan_id, q.version, q.plan.todos);
  const [panel, setPanel] = useState<"reject" | "tell" | null>(null);

  const approve = () => {
    if (count === 0 && !busy) give({ action: "approve" });
  };
  const modify = (words?: string) => {
    const instruction = [changes.instruction, words].filter(Boolean).join("\n") || undefined;
    forgetDraft(q.plan_id);
    give({
      action: "modify",
      instruction,
      modifications: changes.modifications.length > 0 ? changes.modifications : undefined,
    });
  };
  keys.current = live ? { a: approve, d: () => setPanel("reject"), e: () => setPanel("tell") } : {};

  const cost = q.plan.estimated_cost_usd;
  return (
    <>
      {q.message && (
        <p className="whitespace-pre-wrap">
          <Revealed text={q.message} />
        </p>
      )}
      <p className="text-sm text-soft">
        {[
          t.version(q.version),
          t.stepCount(q.plan.todos.length),
          q.plan.estimated_duration_sec > 0 ? t.about(duration(q.plan.estimated_duration_sec * 1000)) : "",
          cost !== null && cost !== undefined && cost > 0 ? t.about(money(cost)) : "",
        ]
          .filter(Boolean)
          .join(" · ")}
      </p>
      {live && carried && <p className="text-ask">{t.carried(q.version)}</p>}
      <PlanEditor draft={draft} onChange={set} readOnly={!live || busy} fold={12} />
      {live && panel === null && (
        <div className="flex flex-wrap items-center gap-2">
          {count > 0 ? (
            <>
              <Button look="main" icon={<Send size={13} />} busy={busy} onClick={() => modify()}>
                {t.sendChanges(count)}
              </Button>
              <Button look="quiet" icon={<Undo2 size={14} />} busy={busy} onClick={clear}>
                {t.dropChanges}
              </Button>
            </>
          ) : (
            <Button look="main" icon={<Check size={14} />} keys="A" busy={busy} onClick={approve}>
              {t.approvePlan}
            </Button>
          )}
          <Button icon={<X size={14} />} keys="D" busy={busy} onClick={() => setPanel("reject")}>
            {t.rejectPlan}
          </Button>
          <Button look="quiet" icon={<Pencil size={13} />} keys="E" busy={busy} onClick={() => setPanel("tell")}>
            {t.tellPlanner}
          </Button>
        </div>
      )}
      {live && count > 0 && <p className="text-sm text-soft">{t.changesFirst}</p>}
      {live && panel !== null && (
        <Refusal
          purpose={panel === "tell" ? "tell" : "reject"}
          start=""
          busy={busy}
          onCancel={() => setPanel(null)}
          onSend={(words) =>
            panel === "tell" ? modify(words) : give({ action: "reject", comment: words || undefined })
          }
        />
      )}
    </>
  );
}
