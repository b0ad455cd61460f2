import type { RunView, SessionStatus } from "@clew-run/client";
import { isOver } from "../plan/possible";

/**
 * What the head says of a session that is known. What somebody has to answer comes first: other
 * steps may work on beside it. Work that was told to pause is no work in progress,
 * though a step may be finishing.
 */
export function statusShown(
  status: SessionStatus,
  runs: readonly RunView[],
  asking: boolean,
  mayAnswer: boolean,
): SessionStatus | "awaiting_others" {
  const works = status === "executing" || status === "planning";
  if (status === "awaiting_input" || (works && asking)) return mayAnswer ? "awaiting_input" : "awaiting_others";
  const going = runs.filter((r) => !isOver(r));
  return works && going.length > 0 && going.every((r) => r.paused) ? "paused" : status;
}

/** Whether somebody with this role answers questions. An administrator watches the sessions of others. */
export function answers(role: string | undefined): boolean {
  return role !== "viewer" && role !== "admin";
}
