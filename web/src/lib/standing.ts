import type { SessionSummary } from "@clew-run/client";

/**
 * How a session stands, for lists: what somebody has to answer comes before what works on beside it,
 * and one at rest says how its work ended, unless that was well.
 */
export function standing(s: Pick<SessionSummary, "status" | "questions" | "outcome">): string {
  if (s.status === "idle" && s.outcome && s.outcome !== "done") return s.outcome;
  return (s.status === "executing" || s.status === "planning") && (s.questions ?? 0) > 0 ? "awaiting_input" : s.status;
}

/** A session's last words in a list; its title once more would say nothing. */
export function lastWords(line: string, title: string | undefined): string {
  return line === title ? "" : line;
}
