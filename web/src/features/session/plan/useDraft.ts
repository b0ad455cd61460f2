import type { Todo } from "@clew-run/client";
import { useState } from "react";
import { changesOf, countOf, draftOf, rebase, type PlanDraft } from "./edits";

// Changes outlive the card: it comes and goes with tabs and pages, and a new
// version of the plan brings a new one. They are gone with the page.
const drafts = new Map<string, { version: number; draft: PlanDraft }>();

/** The changes somebody is making to a version of a plan. `carried` says that they began on an older one. */
export function useDraft(planId: string, version: number, todos: readonly Todo[]) {
  const [held, setHeld] = useState(() => begin(planId, version, todos));
  if (held.version !== version) setHeld(begin(planId, version, todos));
  const changes = changesOf(held.draft);
  const count = countOf(changes);
  return {
    draft: held.draft,
    changes,
    count,
    carried: held.carried && count > 0,
    set(draft: PlanDraft) {
      drafts.set(planId, { version, draft });
      setHeld({ ...held, draft });
    },
    /** Drops the changes: they were sent, or are not wanted. */
    clear() {
      drafts.delete(planId);
      setHeld({ version, draft: draftOf(todos), carried: false });
    },
  };
}

function begin(planId: string, version: number, todos: readonly Todo[]) {
  const kept = drafts.get(planId);
  if (!kept || kept.version > version) return { version, draft: draftOf(todos), carried: false };
  if (kept.version === version) return { version, draft: kept.draft, carried: false };
  return { version, draft: rebase(kept.draft, todos), carried: true };
}

/** Forgets changes that the server has. */
export function forgetDraft(planId: string): void {
  drafts.delete(planId);
}
