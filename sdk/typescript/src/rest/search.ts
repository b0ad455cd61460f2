// Words in sessions.

import type { SessionSummary } from "./sessions.js";

export type FoundKind = "message" | "command" | "file" | "title";

export interface SearchQuery {
  /** Words that all have to be there. */
  q: string;
  kind?: FoundKind;
  /** In this session alone: every match, in order of time. */
  session?: string;
  workspace?: string;
  /** What this person said. */
  person?: string;
  /** Nothing older, Unix ms. */
  since?: number;
  /** In whose list of sessions: `*` is everybody's, for administrators. */
  owner?: string;
  sort?: "best" | "newest";
  limit?: number;
  cursor?: string;
}

export interface SearchHit {
  /** Where to open the session; a title has none. */
  message_id?: string;
  /** Its place among `last_seq` records. */
  seq?: number;
  kind: FoundKind;
  /** It is a command's output. */
  output?: boolean;
  /** Who said it; absent for an agent. */
  by?: string;
  at_ms: number;
  /** Plain text in pieces. */
  excerpt: { text: string; match?: boolean }[];
}

export interface SearchGroup extends Pick<
  SessionSummary,
  "session_id" | "title" | "workspace" | "status" | "outcome" | "questions" | "owner" | "updated_ms" | "last_seq"
> {
  matches: number;
  hits: SearchHit[];
}

export interface SearchResult {
  /** The index is behind: there may be more. */
  indexing: boolean;
  /** How many sessions are known to have something new. */
  waiting?: number;
  /** There are more matches than are counted. */
  more?: boolean;
  total: number;
  sessions: number;
  counts: Record<FoundKind, number>;
  took_ms: number;
  next?: string;
  groups: SearchGroup[];
}
