import type { CommandData, Session } from "@clew-run/client";
import { useCallback, useState } from "react";
import { useWords } from "@/i18n";
import { planWords } from "./words";

type Control = "control_pause" | "control_resume" | "control_cancel" | "control_retry" | "control_skip" | "edit_plan";

export interface Controls {
  /** What is on its way, by name: shown at once, over when the server's word is there. */
  pending: ReadonlySet<string>;
  /** Why the last one was refused. */
  problem: unknown;
  dismiss(): void;
  /** True once it was done. */
  run<T extends Control>(name: string, type: T, data: CommandData[T]): Promise<boolean>;
}

/** Steers a run. Nothing is shown as done before its event came. */
export function useControls(session: Session): Controls {
  const t = useWords(planWords);
  const [pending, setPending] = useState<ReadonlySet<string>>(new Set());
  const [problem, setProblem] = useState<unknown>(null);
  const run = useCallback(
    async <T extends Control>(name: string, type: T, data: CommandData[T]): Promise<boolean> => {
      setProblem(null);
      const { state } = session.connection;
      if (state !== "active" && state !== "connected") {
        setProblem(new Error(t.notSent));
        return false;
      }
      setPending((p) => new Set(p).add(name));
      try {
        await session.send(type, ...([data] as never));
        return true;
      } catch (e) {
        setProblem(e);
        return false;
      } finally {
        setPending((p) => {
          const rest = new Set(p);
          rest.delete(name);
          return rest;
        });
      }
    },
    [session, t],
  );
  return { pending, problem, dismiss: useCallback(() => setProblem(null), []), run };
}
