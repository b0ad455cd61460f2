import type { Session } from "@clew-run/client";
import { isSub } from "../transcript/rows";

/** How full the context of the session's agent is: what its last model call was given. */
export function contextTokens(session: Session, ids: readonly string[]): number {
  for (let i = ids.length - 1, seen = 0; i >= 0 && seen < 400; i--, seen++) {
    const m = session.store.message(ids[i]!);
    if (m?.say !== "api_req_finished" || isSub(m)) continue;
    const u = m.usage;
    if (u) return u.tokens_in + u.cache_reads + u.cache_writes + u.tokens_out;
  }
  return 0;
}
