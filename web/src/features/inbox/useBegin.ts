import type { ModelInUse, SessionSummary } from "@clew-run/client";
import { useEffect, useState } from "react";
import { useMayStart, useMe } from "@/app/account";
import { client } from "@/app/client";
import { useLoaded, type Loaded } from "@/lib/useLoaded";

export interface Begin {
  /** Whether this is the first page of a new server, or one that is in use. */
  state: "asking" | "first" | "daily";
  model?: ModelInUse;
  /** No model is set up, or the one that is cannot be used. */
  missing: boolean;
  /** Whether this person can connect one. */
  mayConnect: boolean;
  setModel(now: ModelInUse): void;
  /** Somebody wants to look around without a model. */
  skip(): void;
}

const begunKey = "clew.begun";
const skippedKey = "clew.no-model";

/** What Home shows: the first steps, until there is a model and a session. */
export function useBegin(sessions: Loaded<SessionSummary[]>, questions: number): Begin {
  const mayStart = useMayStart();
  const me = useMe();
  const model = useLoaded("model", () => client.rest.models.inUse());
  const [skipped, setSkipped] = useState(() => kept(skippedKey));
  const [begun] = useState(() => kept(begunKey)); // once in use, nobody waits for the answer to see the page
  const missing =
    model.value !== undefined &&
    (!model.value.usable || model.value.why_code === "none" || model.value.why_code === "missing");
  const known = model.value !== undefined && sessions.value !== undefined;
  const fresh = sessions.value?.length === 0 && questions === 0;
  const inUse = known && !missing && !fresh;
  useEffect(() => {
    if (inUse) keep(begunKey);
  }, [inUse]);
  const failed = model.error !== undefined || sessions.error !== undefined;
  const first = mayStart && known && fresh && !(missing && skipped);
  return {
    state: first ? "first" : !mayStart || known || begun || failed ? "daily" : "asking",
    model: model.value,
    missing,
    mayConnect: me?.role === "admin",
    setModel: model.set,
    skip: () => {
      keep(skippedKey);
      setSkipped(true);
    },
  };
}

function kept(key: string): boolean {
  try {
    return localStorage.getItem(key) !== null;
  } catch {
    return false;
  }
}

function keep(key: string): void {
  try {
    localStorage.setItem(key, "1");
  } catch {
    // for this page then
  }
}
