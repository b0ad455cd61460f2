import type { RunView, SessionStatus } from "@clew-run/client";
import { isOver } from "../plan/possible";

/** What the head says of a session: work that was told to pause is no work in progress, though a step may be finishing. */
export function statusShown(status: SessionStatus | undefined, runs: readonly RunView[]): SessionStatus {
  const works = status === "executing" || status === "planning";
  const going = runs.filter((r) => !isOver(r));
  return works && going.length > 0 && going.every((r) => r.paused) ? "paused" : (status ?? "idle");
}
