import type { Session } from "@clew-run/client";
import { useSnapshot } from "@clew-run/client/react";
import { Pause, Play, Square } from "lucide-react";
import { useEffect, useState } from "react";
import { notifyError } from "@/app/notices";
import { useWords } from "@/i18n";
import { Button } from "@/ui";
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
  const [wish, setWish] = useState<Wish | null>(null);
  useEffect(() => setWish(null), [status, run]);
  if (role !== undefined && role !== "owner") return null;
  const ask = (w: Wish) => {
    setWish(w);
    const command = w === "stop" ? "interrupt" : w === "pause" ? "control_pause" : "control_resume";
    session.send(command, {}).catch((e: unknown) => {
      setWish(null);
      notifyError(e);
    });
  };
  const label = { small: "max-sm:sr-only" };
  return (
    <>
      {run === "going" && <Button icon={<Pause size={14} />} busy={wish === "pause"} onClick={() => ask("pause")}><span className={label.small}>{wish === "pause" ? t.pausing : t.pause}</span></Button>}
      {run === "paused" && <Button look="main" icon={<Play size={14} />} busy={wish === "resume"} onClick={() => ask("resume")}><span className={label.small}>{wish === "resume" ? t.resuming : t.resume}</span></Button>}
      {busy.has(status) && <Button icon={<Square size={12} />} busy={wish === "stop"} onClick={() => ask("stop")} data-stop><span className={label.small}>{wish === "stop" ? t.stopping : t.stop}</span></Button>}
    </>
  );
}
