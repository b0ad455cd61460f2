import type { Code, ErrorData } from "./types.gen.js";

/** What a server may suggest to do about an error. */
export type SuggestedAction =
  | "reconnect"
  | "fix_request"
  | "wait"
  | "authenticate"
  | "none"
  | "new_session"
  | "resync"
  | "contact_operator"
  | "upgrade_server"
  | "retry";

/** What can be said about an error besides its code and message. */
export interface ErrorDetails {
  number?: number;
  recoverable?: boolean;
  suggestedAction?: SuggestedAction;
  retryAfterMs?: number;
  /** The HTTP status, if the error came by HTTP. */
  status?: number;
  /** How the server closed the connection, if that is what happened. */
  close?: { code: number; reason: string };
  context?: ErrorData["context"];
  /** The answer's body, where a route says more than the error. */
  body?: unknown;
  cause?: unknown;
}

/**
 * The one error of this package. Programs go by `code`; `message` is for people.
 * Codes are those of the server; this side adds CONNECTION_FAILED and
 * CONNECTION_TIMEOUT for what it finds by itself.
 */
export class ClewError extends Error {
  override readonly name = "ClewError";
  declare readonly code: Code | (string & {});
  declare readonly number?: number;
  declare readonly recoverable: boolean;
  declare readonly suggestedAction?: SuggestedAction;
  declare readonly retryAfterMs?: number;
  declare readonly status?: number;
  declare readonly close?: { code: number; reason: string };
  declare readonly context?: ErrorData["context"];
  declare readonly body?: unknown;

  constructor(code: Code | (string & {}), message: string, { cause, ...details }: ErrorDetails = {}) {
    super(message, cause === undefined ? undefined : { cause });
    Object.assign(this, details, { code, recoverable: details.recoverable ?? false });
  }
}

/** Makes a ClewError of an error that a server reported. */
export function errorOf(data: Partial<ErrorData>, details: ErrorDetails = {}): ClewError {
  return new ClewError(data.code ?? "INTERNAL", data.message ?? "the server reported an error", {
    number: data.number,
    recoverable: data.recoverable,
    suggestedAction: data.suggested_action as SuggestedAction | undefined,
    retryAfterMs: data.retry_after_ms,
    context: data.context,
    ...details,
  });
}

/** For what this side finds: the line is down or silent. */
export function lineError(
  code: "CONNECTION_FAILED" | "CONNECTION_TIMEOUT",
  message: string,
  details: ErrorDetails = {},
): ClewError {
  return new ClewError(code, message, {
    number: code === "CONNECTION_FAILED" ? 1001 : 1002,
    recoverable: true,
    suggestedAction: "reconnect",
    ...details,
  });
}
