import type { Session } from "@clew-run/client";
import { useSnapshot } from "@clew-run/client/react";
import { Pause, Play, Square } from "lucide-react";
import { useCallback, useEffect, useMemo, useState, type ReactNode } from "react";
import { useCommands, type Command } from "@/app/commands";
import { notifyError } from "@/app/notices";
import { useWords } from "@/i18n";
import { useNarrow, useRoomy } from "@/lib/useNarrow";
import { Button } from "@/ui";
import { useSide } from "../side/side";
import { sessionWords } from "../words";

const busy = new Set(["planning", "executing", "awaiting_input"]);
type Wish = "pause" | "resume" | "stop";

/** Pause and resume a run, and stop whatever works. What was asked for shows at once, as asked for. */
export function Controls({ session }: { session: Session }) {
  const t = useWords(sessionWords);
  const status = useSnapshot(session, (s) => s.session?.status ?? "idle");
  const role = useSnapshot(session, (s) => s.session?.role);
  const run = useSnapshot(session, (s) => {
    const r = s.runs.find((x) => x.status !== "completed" && x.status !== "failed" && x.status !== "cancelled");
    return r ? (r.paused ? "paused" : "going") : "none";
  });
  const narrow = useNarrow();
  // The plan has its own button for it where it is shown.
  const roomy = useRoomy();
  const planShown = useSide((s) => (narrow ? s.phone === "plan" : (roomy ? s.open : s.over) && s.part === "plan"));
  const waits = useSnapshot(session, (s) => s.queue.length > 0);
  const [wish, setWish] = useState<Wish | null>(null);
  useEffect(() => setWish(null), [status, run]);
  const mine = role === undefined || role === "owner";
  const ask = useCallback(
    (w: Wish) => {
      setWish(w);
      const command = w === "stop" ? "interrupt" : w === "pause" ? "control_pause" : "control_resume";
      // It holds until the server's word: a message that waits may go on at once, without a change of the status.
      session
        .send(command, {})
        .catch(notifyError)
        .finally(() => setWish(null));
    },
    [session],
  );
  useCommands(
    useMemo<Command[]>(() => {
      if (!mine) return [];
      const command = (w: Wish, icon: ReactNode) => ({
        id: `session:${w}`,
        title: t[w],
        icon,
        group: t.parts,
        here: true,
        rank: 15,
        run: () => ask(w),
      });
      return [
        ...(run === "going"
          ? [command("pause", <Pause size={16} />)]
          : run === "paused"
            ? [command("resume", <Play size={16} />)]
            : []),
        ...(busy.has(status) ? [command("stop", <Square size={14} />)] : []),
      ];
    }, [mine, run, status, t, ask]),
  );
  if (!mine) return null;
  const label = { small: "max-lg:sr-only" };
  // Stop comes first: what stands at the end is pause or resume, so that a second press on it is no stop.
  return (
    <>
      {busy.has(status) && (
        <Button
          icon={<Square size={12} />}
          busy={wish === "stop"}
          title={waits ? t.stopNext : undefined}
          onClick={() => ask("stop")}
          data-stop
        >
          <span className={label.small}>{wish === "stop" ? t.stopping : t.stop}</span>
        </Button>
      )}
      {run === "going" && !planShown && (
        <Button icon={<Pause size={14} />} busy={wish === "pause"} onClick={() => ask("pause")}>
          <span className={label.small}>{wish === "pause" ? t.pausing : t.pause}</span>
        </Button>
      )}
      {run === "paused" && !planShown && (
        <Button look="main" icon={<Play size={14} />} busy={wish === "resume"} onClick={() => ask("resume")}>
          <span className={label.small}>{wish === "resume" ? t.resuming : t.resume}</span>
        </Button>
      )}
    </>
  );
}
