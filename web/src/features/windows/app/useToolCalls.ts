import { newId, type Session, type WindowState } from "@clew-run/client";
import { useCallback, useEffect, useRef } from "react";
import { client } from "@/app/client";

interface Open {
  /** Whether the state has it: it is then dropped from there only once it is over. */
  seen: boolean;
  done(result: unknown): void;
  fail(why: Error): void;
}

/** Calls tools of the server that a window's page is of. The server runs them by its policy, and the window's state says what came of each. */
export function useToolCalls(
  session: Session,
  w: WindowState,
): (tool: string, args: Record<string, unknown>) => Promise<unknown> {
  const open = useRef(new Map<string, Open>());
  useEffect(() => {
    const calls = new Map((w.app_calls ?? []).map((c) => [c.request_id, c]));
    for (const [id, o] of open.current) {
      const call = calls.get(id);
      if (call) o.seen = true;
      if (call?.status === "done")
        client.rest.sessions
          .blob(session.id, call.result ?? "")
          .then((r) => r.json())
          .then(o.done, o.fail);
      else if (call?.status === "refused") o.fail(new Error(call.error || "the call was refused"));
      else if (call || !o.seen) continue;
      else o.fail(new Error("the call is gone"));
      open.current.delete(id);
    }
  }, [session, w.app_calls]);
  useEffect(() => {
    const all = open.current;
    return () => {
      for (const o of all.values()) o.fail(new Error("the window is closing"));
      all.clear();
    };
  }, []);
  return useCallback(
    (tool, args) =>
      new Promise((done, fail) => {
        const id = newId();
        open.current.set(id, { seen: false, done, fail });
        session
          .send("app_call", { window_id: w.window_id, request_id: id, tool, arguments: args })
          .catch((e: Error) => {
            open.current.delete(id);
            fail(e);
          });
      }),
    [session, w.window_id],
  );
}
