/** How often and how soon a broken connection is opened again. */
export interface Retry {
  /** Attempts after a loss before giving up. */
  maxRetries: number;
  initialDelayMs: number;
  maxDelayMs: number;
  multiplier: number;
}

/** 1, 2, 4, 8 and 16 s, never more than 30 s. */
export const defaultRetry: Retry = { maxRetries: 5, initialDelayMs: 1000, maxDelayMs: 30_000, multiplier: 2 };

/** The wait before attempt n, counted from 0, without chance. */
export function delayOf(retry: Retry, n: number): number {
  return Math.min(retry.initialDelayMs * retry.multiplier ** n, retry.maxDelayMs);
}

/** Shortens a delay to between half and all of it, so that clients do not come all at once. */
export function jitter(delayMs: number, random: number): number {
  return delayMs / 2 + random * (delayMs / 2);
}

/** What a server may ask for at most; its limits count by the minute. */
export const longestWaitMs = 60_000;
