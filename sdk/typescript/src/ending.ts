import { ClewError, lineError } from "./error.js";
import type { Code } from "./types.gen.js";

/** How a connection, or an attempt at one, ended, and what follows from it. */
export interface Ending {
  error?: ClewError;
  /** Nothing went wrong, and nobody wants the connection back. */
  normal?: boolean;
  /** Trying again cannot help. */
  final?: boolean;
  /** There is no need to wait. */
  atOnce?: boolean;
}

const neverAgain = new Set([1000, 1002, 1003, 1007, 1009]);

/**
 * Reads how a server closed a connection. `said` is the error it reported right
 * before; `renewable` says that new credentials can be had.
 */
export function endingOf(code: number, reason: string, said: ClewError | undefined, renewable: boolean): Ending {
  const close = { code, reason };
  if (code === 1000 && reason !== "TAKEN_OVER") return { normal: true };
  return {
    error: closedAs(close, said),
    final: isFinal(code, reason, renewable),
    atOnce: reason === "TOO_SLOW" || reason === "TOKEN_EXPIRED",
  };
}

function isFinal(code: number, reason: string, renewable: boolean): boolean {
  if (neverAgain.has(code)) return true;
  if (code === 1008) return !(reason === "RATE_LIMITED" || (reason === "TOKEN_EXPIRED" && renewable));
  return code === 1011 && reason === "SESSION_DAMAGED";
}

/** Gives the close a code: that of its reason, else that of the error before it. */
function closedAs(close: { code: number; reason: string }, said: ClewError | undefined): ClewError {
  const { code, reason } = close;
  if (said && (said.code === reason || reason === "")) {
    return new ClewError(said.code, said.message, { ...said, close });
  }
  if (reason === "" || code === 1006) return lineError("CONNECTION_FAILED", "the connection broke", { close });
  if (reason === "TAKEN_OVER") {
    return lineError("CONNECTION_FAILED", "another connection of this client took over", { close, recoverable: false });
  }
  if (reason === "STOPPING" || reason === "TOO_SLOW") {
    return lineError("CONNECTION_FAILED", `the server ended the connection: ${reason}`, { close });
  }
  return new ClewError(reason as Code, `the server ended the connection: ${reason}`, {
    close,
    recoverable: code === 1011 || reason === "RATE_LIMITED" || reason === "TOKEN_EXPIRED",
  });
}

/** Whether the same request may succeed later. */
export function temporary(error: ClewError): boolean {
  const s = error.status;
  return s === undefined || s >= 500 || s === 429 || s === 408;
}
