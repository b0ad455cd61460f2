import type { Question, Remember, RuleCheck } from "@clew-run/client";
import { useEffect, useState } from "react";
import { client } from "@/app/client";
import { offerOf } from "./kinds";

export type Scope = "once" | Remember["scope"];

/** What is chosen to be remembered, and whether the server says that it fits. */
export interface Rule {
  scope: Scope;
  setScope(scope: Scope): void;
  pattern: string;
  setPattern(pattern: string): void;
  /** Absent while the server looks at the pattern. */
  check?: RuleCheck;
  problem?: string;
  /** The rule as it would be saved; undefined for "once". */
  remember?: Remember;
  /** Approving can be done with what is chosen. */
  ready: boolean;
}

/** Holds the choice of scope. What is saved is the text that is shown, to the letter. */
export function useRule(sessionId: string, question: Question, ask = client.rest.rules.check): Rule {
  const offer = offerOf(question);
  const [scope, setScope] = useState<Scope>("once");
  const [pattern, setPattern] = useState(offer?.pattern ?? "");
  const [found, setFound] = useState<{ pattern: string; check?: RuleCheck; problem?: string }>();
  const suggested = offer?.pattern === pattern && offer.match !== undefined;
  const wanted = scope !== "once" && offer?.pattern !== undefined && !suggested;
  useEffect(() => {
    if (!wanted) return;
    let over = false;
    const timer = setTimeout(() => {
      ask({ session_id: sessionId, request_id: question.request_id, pattern }).then(
        (check) => !over && setFound({ pattern, check, problem: check.problem }),
        (e: unknown) => !over && setFound({ pattern, problem: (e as Error).message }),
      );
    }, 250);
    return () => {
      over = true;
      clearTimeout(timer);
    };
  }, [wanted, sessionId, question.request_id, pattern, ask]);

  const current = found?.pattern === pattern ? found : undefined;
  const check = suggested
    ? { covers: true, match: offer?.match, near_miss: offer?.near_miss, runs_workspace: offer?.runs_workspace }
    : current?.check;
  const remember = scope === "once" ? undefined : offer?.pattern === undefined ? { scope } : { scope, pattern };
  const ready = scope === "once" || offer?.pattern === undefined || check?.covers === true;
  return {
    scope,
    setScope,
    pattern,
    setPattern,
    check,
    problem: suggested ? undefined : current?.problem,
    remember,
    ready,
  };
}
