import { Channel, type SessionContext } from "./channel.js";
import { Position, type AnyEnvelope } from "./position.js";

export interface RecordsOptions {
  /** Tells this connection apart from others of the session; made up if absent. */
  clientId?: string;
  /** The last record that is known, or `start` for all that ever happened; what comes from now on if absent. */
  resumeFrom?: string;
  /** The epoch that resumeFrom belongs to. */
  epoch?: string;
}

/**
 * The records of a session as they are written, each once and in order, for
 * programs that keep or judge them. Listen with `on`. It holds nothing but its
 * position; to show a session, use a Session.
 */
export class RecordStream extends Channel {
  readonly #position: Position;

  /** @internal Made by ClewClient.records. */
  constructor(context: SessionContext, id: string, options: RecordsOptions = {}) {
    super(context, id, options.clientId, "records");
    this.#position = new Position(options.resumeFrom, options.epoch);
  }

  /** What to resume from. */
  get position(): { readonly resumeFrom?: string; readonly epoch?: string } {
    const { resume_from: resumeFrom, epoch } = this.#position.query();
    return { resumeFrom, epoch };
  }

  protected resume(): { resume_from?: string; epoch?: string } {
    return this.#position.query();
  }

  protected take(env: AnyEnvelope): boolean {
    return this.#position.take(env);
  }

  protected progress(): number {
    return this.#position.seq;
  }

  protected filter(): void {
    this.#position.filtered = true;
  }

  protected override opened(): void {
    this.#position.connected();
  }
}
