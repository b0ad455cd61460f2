import type { RunView, SessionStatus } from "@clew-run/client";
import { isOver } from "../plan/possible";

/**
 * What the head says of a session. What somebody has to answer comes first: other
 * steps may work on beside it. Work that was told to pause is no work in progress,
 * though a step may be finishing.
 */
export function statusShown(status: SessionStatus | undefined, runs: readonly RunView[], asking: boolean): SessionStatus {
  const works = status === "executing" || status === "planning";
  if (works && asking) return "awaiting_input";
  const going = runs.filter((r) => !isOver(r));
  return works && going.length > 0 && going.every((r) => r.paused) ? "paused" : (status ?? "idle");
}
