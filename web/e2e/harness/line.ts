import { createServer, connect, type AddressInfo, type Server, type Socket } from "node:net";

type State = "good" | "cut" | "silent";

/**
 * The line between browsers and the server: a TCP proxy that can be cut. Its
 * address stays the same over all lives of the server.
 */
export class Line {
  /** It was not good all the time: pages may have told of requests that failed. */
  everBad = false;
  #state: State = "good";
  readonly #pairs = new Set<[Socket, Socket]>();
  readonly #stuck = new Set<Socket>();
  readonly #server: Server;
  readonly #target: () => number;

  private constructor(server: Server, target: () => number) {
    this.#server = server;
    this.#target = target;
    server.on("connection", (near) => this.#take(near));
  }

  static async open(target: () => number): Promise<Line> {
    const line = new Line(createServer(), target);
    await new Promise<void>((done) => line.#server.listen(0, "127.0.0.1", done));
    return line;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Breaks every connection, and every new one at once. */
  cut(): void {
    this.everBad = true;
    this.#state = "cut";
    this.#drop();
  }

  /**
   * Nothing comes through in either direction any more, and nobody is told: a
   * line as a phone leaves it that went into a tunnel.
   */
  silence(): void {
    this.everBad = true;
    this.#state = "silent";
    for (const [near, far] of this.#pairs) {
      near.unpipe(far).pause();
      far.unpipe(near).pause();
    }
  }

  /** Good again. Connections that fell silent are broken, as by a router that forgot them. */
  mend(): void {
    this.#drop();
    this.#state = "good";
  }

  async close(): Promise<void> {
    this.#drop();
    await new Promise((done) => this.#server.close(done));
  }

  #drop(): void {
    for (const [near, far] of this.#pairs) {
      near.resetAndDestroy();
      far.destroy();
    }
    this.#pairs.clear();
    for (const near of this.#stuck) near.resetAndDestroy();
    this.#stuck.clear();
  }

  #take(near: Socket): void {
    near.on("error", () => {}); // a browser that leaves is no fault
    if (this.#state === "cut") return void near.resetAndDestroy();
    if (this.#state === "silent") {
      near.pause();
      this.#stuck.add(near);
      return;
    }
    const far = connect(this.#target(), "127.0.0.1");
    const pair: [Socket, Socket] = [near, far];
    this.#pairs.add(pair);
    near.setNoDelay(true);
    far.setNoDelay(true);
    far.on("error", () => near.resetAndDestroy());
    near.on("close", () => far.destroy());
    far.on("close", () => {
      // In silence the browser must not hear of the server's end either.
      if (this.#state === "silent") return;
      this.#pairs.delete(pair);
      near.destroySoon();
    });
    near.pipe(far, { end: false });
    far.pipe(near, { end: false });
  }
}
