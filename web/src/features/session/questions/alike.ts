import type { Question } from "@clew-run/client";
import { kindOf, offerOf, offers } from "./kinds";

/** A question with where it is asked. */
export interface Asked {
  session_id: string;
  title?: string;
  question: Question;
}

/** The server takes no more in one batch. */
export const batchLimit = 100;

/**
 * What makes approvals alike: the same kind, tool and server, and the same rule
 * that would cover them. Those without a rule are alike by their program or host.
 * Limits, plans and values are each decided by themselves.
 */
export function likeness(q: Question): string | null {
  if (q.type !== "hitl_approval_request" || q.limit || !offers(q, "approve")) return null;
  const rule = offerOf(q)?.pattern ?? firstWord(q.effect?.command) ?? host(q.effect?.url) ?? "";
  return [kindOf(q), q.ask ?? "", q.tool ?? "", q.effect?.server ?? "", rule].join("\u0000");
}

/** Groups of two and more that can be approved together, in the order they came. */
export function alikeGroups<T extends Asked>(all: readonly T[]): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const a of all) {
    const key = likeness(a.question);
    if (key === null) continue;
    groups.set(key, [...(groups.get(key) ?? []), a]);
  }
  for (const [key, list] of groups) if (list.length < 2) groups.delete(key);
  return groups;
}

function firstWord(command: string | undefined): string | undefined {
  return command?.trim().split(/\s+/)[0];
}

function host(url: string | undefined): string | undefined {
  return url && URL.canParse(url) ? new URL(url).host : undefined;
}
