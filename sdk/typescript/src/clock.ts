const windowMs = 5 * 60_000;

/**
 * The server's clock, as far as its envelopes tell. An envelope's time is older
 * than its arrival by the way it came, so the largest difference seen is the
 * nearest one; replayed records only give smaller ones. Windows follow one
 * another, so that a clock that was set does not count for ever.
 */
export class ServerClock {
  readonly #now: () => number;
  #best: number | undefined;
  #before: number | undefined; // of the window before this one
  #began = 0;
  #fresh = true; // the next sample starts over

  constructor(now: () => number) {
    this.#now = now;
  }

  /** A new connection: what the old one told may be of another clock. */
  restart(): void {
    this.#fresh = true;
  }

  observe(timestamp: string | undefined): void {
    if (timestamp === undefined) return;
    const now = this.#now();
    const offset = Date.parse(timestamp) - now;
    if (Number.isNaN(offset)) return;
    if (this.#fresh) {
      this.#fresh = false;
      this.#best = offset;
      this.#before = undefined;
      this.#began = now;
    } else if (now - this.#began > windowMs) {
      this.#before = this.#best;
      this.#best = offset;
      this.#began = now;
    } else if (this.#best === undefined || offset > this.#best) {
      this.#best = offset;
    }
  }

  /** How far the server's clock is ahead of ours. */
  get offsetMs(): number {
    const best = this.#best ?? 0;
    return this.#before === undefined ? best : Math.max(best, this.#before);
  }

  serverNow(): number {
    return this.#now() + this.offsetMs;
  }
}
