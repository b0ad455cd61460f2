import type { BatchResult } from "@clew-run/client";
import { Check } from "lucide-react";
import { useState } from "react";
import { client } from "@/app/client";
import { announce } from "@/app/notices";
import { useWords } from "@/i18n";
import { Button, Dialog, ErrorNote, Mark } from "@/ui";
import { batchLimit, type Asked } from "./alike";
import { EffectView } from "./EffectView";
import { subjectOf } from "./kinds";
import { Revealed } from "./Revealed";
import { questionWords } from "./words";

/**
 * Approves many alike with one click, after showing every one of them. Each is
 * decided by itself at the server; what failed is named.
 */
export function BatchDialog({ items, onClose }: { items: readonly Asked[]; onClose(): void }) {
  const t = useWords(questionWords);
  // What was listed is what is decided: questions that come in meanwhile wait.
  const [listed] = useState(() => items.slice(0, batchLimit));
  const [out, setOut] = useState<ReadonlySet<string>>(new Set());
  const [state, setState] = useState<"choosing" | "sending" | "done">("choosing");
  const [results, setResults] = useState<ReadonlyMap<string, BatchResult>>(new Map());
  const [error, setError] = useState<unknown>(null);
  const chosen = listed.filter((i) => !out.has(i.question.request_id));

  const send = async () => {
    setState("sending");
    setError(null);
    try {
      const answer = await client.rest.inbox.batch({
        request_ids: chosen.map((i) => i.question.request_id),
        action: "approve",
      });
      setResults(new Map(answer.results.map((r) => [r.request_id, r])));
      setState("done");
      const failed = answer.results.filter((r) => !r.ok).length;
      announce(t.batchDone(answer.results.length - failed, failed));
    } catch (e) {
      setError(e);
      setState("choosing");
    }
  };
  const failed = [...results.values()].filter((r) => !r.ok).length;
  return (
    <Dialog
      open
      wide
      onClose={onClose}
      title={t.alikeTitle(listed.length)}
      footer={
        state === "done" ? (
          <>
            <p className="flex-1 self-center text-soft">{t.batchDone(results.size - failed, failed)}</p>
            <Button onClick={onClose}>{t.closeDialog}</Button>
          </>
        ) : (
          <>
            <Button look="quiet" onClick={onClose}>
              {t.cancel}
            </Button>
            <Button
              look="main"
              icon={<Check size={14} />}
              busy={state === "sending"}
              disabled={chosen.length === 0}
              onClick={() => void send()}
            >
              {t.approveCount(chosen.length)}
            </Button>
          </>
        )
      }
    >
      <p className="pb-3 text-soft">{t.batchHelp}</p>
      {error !== null && (
        <div className="pb-3">
          <ErrorNote error={error} />
        </div>
      )}
      <ul className="flex flex-col divide-y divide-line">
        {listed.map((i) => {
          const q = i.question;
          const result = results.get(q.request_id);
          return (
            <li key={q.request_id} data-batch={q.request_id} className="flex gap-3 py-2.5">
              {state === "done" ? (
                <span className="pt-1">
                  <Mark tone={result?.ok ? "done" : result ? "fail" : "past"} />
                </span>
              ) : (
                <label className="flex shrink-0 justify-center pt-1 pointer-coarse:-m-2.5 pointer-coarse:size-11">
                  <input
                    type="checkbox"
                    className="size-4 accent-(--c-run) pointer-coarse:size-6"
                    aria-label={subjectOf(q)}
                    disabled={state === "sending"}
                    checked={!out.has(q.request_id)}
                    onChange={() => setOut((s) => toggled(s, q.request_id))}
                  />
                </label>
              )}
              <div className="min-w-0 flex-1">
                {i.title && (
                  <p className="text-sm text-soft">
                    <Revealed text={i.title} />
                  </p>
                )}
                {q.type === "hitl_approval_request" && <EffectView question={q} />}
                {result && !result.ok && <p className="pt-1 text-fail">{result.error?.message ?? t.batchFailed}</p>}
              </div>
            </li>
          );
        })}
      </ul>
    </Dialog>
  );
}

function toggled(set: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const next = new Set(set);
  if (!next.delete(id)) next.add(id);
  return next;
}
