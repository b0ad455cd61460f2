import type { Connection } from "@clew-run/client";
import { RefreshCw } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { useWords } from "@/i18n";
import { Button, cx, Mark, type Tone } from "@/ui";
import { announce } from "./notices";
import { appWords } from "./words";

/**
 * How the line stands, in words that never promise more than is so. Live is said
 * only when everything up to now is in.
 */
export function ConnectionBadge({ connection, onRetry }: { connection: Connection; onRetry(): void }) {
  const t = useWords(appWords);
  const state = connection.offline && connection.state !== "active" ? "offline" : connection.state;
  const tones: Record<typeof state, Tone> = {
    active: "run",
    connected: "wait",
    connecting: "wait",
    reconnecting: "ask",
    offline: "ask",
    disconnected: "past",
    failed: "fail",
  };
  useSpoken(connection);
  useKeepTrying(connection, onRetry);
  const left = useRetrySeconds(connection);
  // Sooner would be refused again, so nobody is offered to try.
  const limited = connection.lastError?.code === "RATE_LIMITED" && (state === "reconnecting" || state === "connecting");
  const why = connection.state === "active" ? undefined : limited ? t.limitedHelp : connection.lastError?.message;
  const help = [t.connectionHelp[state], why, left !== null ? t.retryIn(left) : undefined].filter(Boolean).join(" ");
  const canRetry = !limited && (state === "failed" || state === "reconnecting" || state === "disconnected");
  return (
    <span className="inline-flex items-center gap-1">
      <span
        title={help}
        data-connection={state}
        className={cx(
          "inline-flex items-center gap-1.5 whitespace-nowrap",
          state === "failed" ? "text-fail" : state === "active" ? "text-soft" : "text-ask",
        )}
      >
        <Mark tone={tones[state]} size={10} live={state === "reconnecting" || state === "connecting"} />
        <span>{limited ? t.limited : t.connection[state]}</span>
        {left !== null && left > 1 && <span className={limited ? undefined : "max-sm:hidden"}>{left} s</span>}
      </span>
      {canRetry && (
        <Button look="quiet" icon={<RefreshCw size={13} />} onClick={onRetry} className="-my-1.5">
          <span className="max-sm:sr-only">{t.tryNow}</span>
        </Button>
      )}
    </span>
  );
}

/** Seconds to the next attempt, null when none is planned. */
function useRetrySeconds(c: Connection): number | null {
  const due =
    (c.state === "reconnecting" || c.state === "connecting") && c.nextRetryMs !== undefined
      ? c.since + c.nextRetryMs
      : null;
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (due === null) return;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), 500);
    return () => clearInterval(timer);
  }, [due]);
  return due === null ? null : Math.max(0, Math.ceil((due - now) / 1000));
}

/** Says loss and return of the line aloud, once each. */
function useSpoken(c: Connection): void {
  const t = useWords(appWords);
  const lost = useRef(false);
  useEffect(() => {
    if (c.state === "reconnecting" && !lost.current) {
      lost.current = true;
      announce(t.saidLost);
    }
    if (c.state === "active" && lost.current) {
      lost.current = false;
      announce(t.saidLive);
    }
  }, [c.state, t]);
}

const patience = 20_000;

/**
 * The client gives up after five tries, as the protocol asks. A page that is open
 * all day begins again after a while, unless trying again cannot help.
 */
export function useKeepTrying(c: Connection, retry: () => void): void {
  const again = useRef(retry);
  again.current = retry;
  const hopeless = c.state !== "failed" || !(c.lastError?.recoverable ?? true);
  useEffect(() => {
    if (hopeless) return;
    const timer = setTimeout(() => again.current(), patience);
    return () => clearTimeout(timer);
  }, [hopeless, c.since]);
}
