import type { Session } from "@clew-run/client";
import { useSnapshot } from "@clew-run/client/react";
import { Pause, Play, Square } from "lucide-react";
import { useEffect, useState } from "react";
import { notifyError } from "@/app/notices";
import { useWords } from "@/i18n";
import { useNarrow } from "@/lib/useNarrow";
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
  const planShown = useSide((s) => (narrow ? s.phone === "plan" : s.open && s.part === "plan"));
  const waits = useSnapshot(session, (s) => s.queue.length > 0);
  const [wish, setWish] = useState<Wish | null>(null);
  useEffect(() => setWish(null), [status, run]);
  if (role !== undefined && role !== "owner") return null;
  const ask = (w: Wish) => {
    setWish(w);
    const command = w === "stop" ? "interrupt" : w === "pause" ? "control_pause" : "control_resume";
    // It holds until the server's word: a message that waits may go on at once, without a change of the status.
    session.send(command, {}).catch(notifyError).finally(() => setWish(null));
  };
  const label = { small: "max-sm:sr-only" };
  // Stop comes first: what stands at the end is pause or resume, so that a second press on it is no stop.
  return (
    <>
      {busy.has(status) && <Button icon={<Square size={12} />} busy={wish === "stop"} title={waits ? t.stopNext : undefined} onClick={() => ask("stop")} data-stop><span className={label.small}>{wish === "stop" ? t.stopping : t.stop}</span></Button>}
      {run === "going" && !planShown && <Button icon={<Pause size={14} />} busy={wish === "pause"} onClick={() => ask("pause")}><span className={label.small}>{wish === "pause" ? t.pausing : t.pause}</span></Button>}
      {run === "paused" && !planShown && <Button look="main" icon={<Play size={14} />} busy={wish === "resume"} onClick={() => ask("resume")}><span className={label.small}>{wish === "resume" ? t.resuming : t.resume}</span></Button>}
    </>
  );
}
