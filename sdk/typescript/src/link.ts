import { endingOf, temporary, type Ending } from "./ending.js";
import { ClewError, errorOf, lineError } from "./error.js";
import { ProtocolFault, type AnyEnvelope } from "./position.js";
import { delayOf, jitter, longestWaitMs, type Retry } from "./retry.js";
import type { Connection, ConnectionState } from "./snapshot.js";
import type { SocketClass, SocketLike } from "./socket.js";
import type { Surroundings } from "./surroundings.js";
import type { AuthResult, ErrorData, MessagesPage } from "./types.gen.js";

/** The name of the question whether the line is alive. */
const probeId = "clew-probe";

/** What a link needs to know. Time and chance come in, so that tests own them. */
export interface LinkOptions {
  url(): string;
  token(): Promise<string | undefined>;
  /** The token is made anew on demand. */
  renewable: boolean;
  socketClass(): Promise<SocketClass>;
  /** Asks by HTTP why a handshake failed: browsers do not tell. */
  diagnose(): Promise<ClewError | undefined>;
  retry: Retry;
  /** Silence after which a connection counts as broken. */
  idleMs: number;
  /** How long a probe may take. */
  probeMs: number;
  now(): number;
  random(): number;
  surroundings: Surroundings;
  /** A socket is open; nothing has been said yet but `auth`. */
  onOpen(): void;
  /** Throws ProtocolFault for what cannot be right. */
  onEnvelope(env: AnyEnvelope): void;
  onState(connection: Connection): void;
  /** A figure that grows as the client gets further. */
  progress(): number;
}

/**
 * Keeps one WebSocket open: opens it again when it breaks, notices when it is
 * dead, and gives up when there is no point. What is said over it is not its
 * business, but for auth, ping and errors before a close.
 */
export class Link {
  connection: Connection;
  readonly #o: LinkOptions;
  #socket: SocketLike | undefined;
  #open = false;
  #life = 0; // counts attempts; what belongs to an older one is ignored
  #retries = 0;
  #everOpen = false;
  #said: ClewError | undefined;
  #heard = 0;
  #timer: ReturnType<typeof setTimeout> | undefined; // the wait, or the watch over silence
  #probeTimer: ReturnType<typeof setTimeout> | undefined;
  #probeSent = 0;
  #began = { retries: 0, progress: 0 }; // how things stood when the attempt began
  #stopWatching: (() => void) | undefined;

  constructor(options: LinkOptions) {
    this.#o = options;
    this.connection = {
      state: "disconnected",
      attempt: 0,
      since: options.now(),
      offline: options.surroundings.offline(),
    };
  }

  /** Begins. Does nothing if it is under way. */
  start(): void {
    const { state } = this.connection;
    if (state !== "disconnected" && state !== "failed") return;
    this.#retries = 0;
    this.#everOpen = false;
    this.#stopWatching ??= this.#o.surroundings.watch({
      online: () => this.#online(),
      offline: () => this.#offline(),
      visible: () => this.#visible(),
    });
    this.#say("connecting", { lastError: undefined });
    void this.#attempt();
  }

  /** Ends, and stays so. */
  stop(): void {
    this.#stopWatching?.();
    this.#stopWatching = undefined;
    this.#leave(1000, "BYE");
    if (this.connection.state !== "disconnected") this.#say("disconnected", { attempt: 0, lastError: undefined });
  }

  /** Drops what there is and tries at once. */
  restart(): void {
    this.#leave(1000, "BYE");
    this.#retries = 0;
    if (this.connection.state === "disconnected" || this.connection.state === "failed") {
      this.start();
      return;
    }
    this.#say(this.#everOpen ? "reconnecting" : "connecting");
    void this.#attempt();
  }

  /** Sends a frame. False if there is no line. */
  send(frame: string): boolean {
    if (!this.#socket || !this.#open) return false;
    try {
      this.#socket.send(frame);
    } catch {
      return false; // closing; its end is told by onclose
    }
    return true;
  }

  get open(): boolean {
    return this.#open;
  }

  /** The replay is over: the line is good. */
  synced(): void {
    this.#retries = 0;
    this.#say("active", { attempt: 0, lastError: undefined });
    this.probe();
  }

  /** Asks whether the line is alive; if no word comes, it is opened again. */
  probe(): void {
    if (!this.#open || this.#probeTimer !== undefined) return;
    const life = this.#life;
    this.#probeSent = this.#o.now();
    this.#probeTimer = setTimeout(() => {
      this.#probeTimer = undefined;
      // On a busy line the answer may stand behind much else, which is an answer, too.
      if (life === this.#life && this.#heard <= this.#probeSent) this.#lost("the connection does not answer");
    }, this.#o.probeMs);
    // The smallest question there is. A feed refuses it, which is an answer, too.
    this.send(`{"type":"get_messages","message_id":"${probeId}","data":{"limit":1}}`);
  }

  async #attempt(): Promise<void> {
    const life = ++this.#life;
    this.#said = undefined;
    this.#began = { retries: this.#retries, progress: this.#o.progress() };
    if (this.connection.nextRetryMs !== undefined) this.#say(this.connection.state, { nextRetryMs: undefined });
    let socket: SocketLike;
    let token: string | undefined;
    try {
      const [cls, t] = await Promise.all([this.#o.socketClass(), this.#o.token()]);
      if (life !== this.#life) return;
      token = t;
      socket = new cls(this.#o.url());
    } catch (cause) {
      if (life === this.#life)
        this.#ended({
          error:
            cause instanceof ClewError
              ? cause
              : lineError("CONNECTION_FAILED", "the connection cannot be opened", { cause }),
        });
      return;
    }
    this.#socket = socket;
    this.#wire(socket, life, token);
    this.#heard = this.#o.now();
    this.#watchSilence(life);
  }

  #wire(socket: SocketLike, life: number, token: string | undefined): void {
    let opened = false;
    socket.onopen = () => {
      if (life !== this.#life) return;
      opened = true;
      this.#open = true;
      this.#everOpen = true;
      this.#heard = this.#o.now();
      if (token !== undefined) this.send(JSON.stringify({ type: "auth", data: { token } }));
      this.#say("connected");
      this.#o.onOpen();
    };
    socket.onmessage = (event: { data: unknown }) => {
      if (life === this.#life) this.#frame(event.data);
    };
    socket.onerror = () => {}; // onclose follows and says more
    socket.onclose = (event: { code: number; reason: string }) => {
      if (life !== this.#life) return;
      this.#forgetSocket();
      if (opened) this.#ended(endingOf(event.code, event.reason ?? "", this.#said, this.#o.renewable));
      else void this.#refused();
    };
  }

  /** Finds out why a handshake failed. */
  async #refused(): Promise<void> {
    const life = this.#life;
    const error = await this.#o.diagnose().catch(() => undefined);
    if (life !== this.#life) return;
    if (error) this.#ended({ error, final: !temporary(error) });
    else this.#ended({ error: lineError("CONNECTION_FAILED", "the connection could not be opened") });
  }

  #frame(text: unknown): void {
    this.#heard = this.#o.now();
    let env: AnyEnvelope;
    try {
      env = JSON.parse(String(text)) as AnyEnvelope;
      if (typeof env?.type !== "string") throw new ProtocolFault("a frame is not an envelope");
      if (this.#basics(env)) this.#o.onEnvelope(env);
    } catch (cause) {
      if (!(cause instanceof ProtocolFault || cause instanceof SyntaxError)) throw cause;
      // A server that greets well and then sends nonsense, without ever getting
      // further, must not be asked for ever.
      if (this.#o.progress() === this.#began.progress) this.#retries = this.#began.retries;
      this.#lost(`the server sent what cannot be right: ${cause.message}`);
    }
  }

  /** Deals with what is about the line itself. False for what is nobody else's business. */
  #basics(env: AnyEnvelope): boolean {
    this.#said = undefined;
    switch (env.type) {
      case "ping":
        this.send('{"type":"pong"}');
        break;
      case "error": {
        const data = env.data as ErrorData;
        if (data.context?.client_message_id === probeId) return this.#probed();
        this.#said = errorOf(data);
        break;
      }
      case "auth_result": {
        const { ok, code, number, message } = env.data as AuthResult;
        if (!ok) this.#said = errorOf({ code, number, message });
        break;
      }
      case "messages_page":
        if ((env.data as MessagesPage).client_message_id === probeId) return this.#probed();
        break;
    }
    return true;
  }

  #probed(): false {
    clearTimeout(this.#probeTimer);
    this.#probeTimer = undefined;
    this.#say(this.connection.state, { rttMs: Math.max(0, this.#o.now() - this.#probeSent) });
    return false;
  }

  /** One timer watches over silence; frames only leave a time behind. */
  #watchSilence(life: number): void {
    clearTimeout(this.#timer);
    const quiet = this.#o.now() - this.#heard;
    this.#timer = setTimeout(
      () => {
        if (life !== this.#life) return;
        if (this.#o.now() - this.#heard >= this.#o.idleMs) {
          this.#lost(`nothing heard for ${Math.round(this.#o.idleMs / 1000)} s`);
        } else {
          this.#watchSilence(life);
        }
      },
      Math.max(this.#o.idleMs - quiet, 1),
    );
  }

  /** The line is given up from this side. */
  #lost(why: string): void {
    this.#leave(undefined, undefined);
    this.#ended({ error: lineError("CONNECTION_TIMEOUT", why) });
  }

  #forgetSocket(): void {
    this.#life++;
    clearTimeout(this.#timer);
    clearTimeout(this.#probeTimer);
    this.#probeTimer = undefined;
    this.#socket = undefined;
    this.#open = false;
  }

  #leave(code: number | undefined, reason: string | undefined): void {
    const socket = this.#socket;
    this.#forgetSocket();
    if (!socket) return;
    try {
      socket.close(code, reason);
    } catch {
      socket.terminate?.(); // some refuse to close while they connect
    }
  }

  #ended(ending: Ending): void {
    if (ending.normal) {
      this.#say("disconnected", { attempt: 0 });
      return;
    }
    // A server that says when to come again is not lost: that is no failure to count.
    const invited = ending.error?.code === "RATE_LIMITED" && ending.error.retryAfterMs !== undefined;
    if (ending.final || (this.#retries >= this.#o.retry.maxRetries && !invited)) {
      this.#say("failed", { lastError: ending.error, attempt: this.#retries });
      return;
    }
    const asked = Math.min(ending.error?.retryAfterMs ?? 0, longestWaitMs);
    const usual = jitter(delayOf(this.#o.retry, this.#retries), this.#o.random());
    const first = ending.atOnce && this.#retries === 0; // and only if it got somewhere
    const wait = Math.max(first ? 0 : usual, asked);
    if (!invited) this.#retries++;
    this.#say(this.#everOpen ? "reconnecting" : "connecting", {
      lastError: ending.error,
      attempt: this.#retries,
      nextRetryMs: wait,
    });
    const life = ++this.#life;
    this.#timer = setTimeout(() => {
      if (life === this.#life) void this.#attempt();
    }, wait);
  }

  #waiting(): boolean {
    const { state } = this.connection;
    return !this.#socket && (state === "reconnecting" || state === "connecting");
  }

  /** A hint that it may work now. */
  #hope(): void {
    const { state, lastError } = this.connection;
    if (this.#waiting() && lastError?.code === "RATE_LIMITED") return; // sooner is refused again
    if (this.#waiting()) {
      clearTimeout(this.#timer);
      void this.#attempt();
    } else if (state === "failed" && lastError && lastError.recoverable && temporary(lastError)) {
      this.#retries = 0;
      this.#say("reconnecting");
      void this.#attempt();
    } else {
      this.probe();
    }
  }

  #online(): void {
    this.#say(this.connection.state, { offline: false });
    this.#hope();
  }

  #visible(): void {
    this.#hope();
  }

  #offline(): void {
    this.#say(this.connection.state, { offline: true });
    this.probe(); // a server on the same machine is still there
  }

  #say(state: ConnectionState, more: Partial<Connection> = {}): void {
    const old = this.connection;
    const next: Connection = {
      ...old,
      nextRetryMs: state === old.state ? old.nextRetryMs : undefined,
      ...more,
      state,
      since: state === old.state && more.nextRetryMs === undefined ? old.since : this.#o.now(),
      offline: more.offline ?? this.#o.surroundings.offline(),
    };
    this.connection = next;
    this.#o.onState(next);
  }
}
