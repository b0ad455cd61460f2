import type { SessionSummary } from "@clew-run/client";
import { toneOf, type Tone } from "@/ui";

/**
 * How a session stands, for lists: what somebody has to answer comes before what works on beside it,
 * and one at rest says how its work ended, unless that was well.
 */
export function standing(
  s: Pick<SessionSummary, "status" | "questions" | "outcome" | "owner">,
  me: string | undefined,
): string {
  if (s.status === "idle" && s.outcome && s.outcome !== "done") return s.outcome;
  const works = s.status === "executing" || s.status === "planning";
  if (s.status !== "awaiting_input" && !(works && (s.questions ?? 0) > 0)) return s.status;
  // A list does not tell who may answer in the sessions of others.
  return s.owner === undefined || s.owner === me ? "awaiting_input" : "awaiting_others";
}

/** A session's last words in a list; its title once more would say nothing. */
export function lastWords(line: string, title: string | undefined): string {
  return line === title ? "" : line;
}

/** The mark of a session in a list: one at rest whose work ended well has a tick. */
export function toneOfSession(
  s: Pick<SessionSummary, "status" | "questions" | "outcome" | "owner">,
  me: string | undefined,
): Tone {
  return s.status === "idle" && s.outcome === "done" ? "done" : toneOf(standing(s, me));
}
