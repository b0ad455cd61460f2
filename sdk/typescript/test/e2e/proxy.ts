import { connect, createServer, type AddressInfo, type Server, type Socket } from "node:net";

/** A TCP proxy that can cut lines and let them go dead. */
export class Proxy {
  readonly #server: Server;
  target = 0; // the port behind it
  readonly #pairs = new Set<{ near: Socket; far: Socket; left: number }>();
  connects = 0;
  /** New lines are refused. */
  down = false;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(): Promise<Proxy> {
    const server = createServer();
    const proxy = new Proxy(server);
    server.on("connection", (near) => proxy.#join(near));
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    return proxy;
  }

  /** A server has to know the names that it is called by. */
  get host(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get url(): string {
    return `http://${this.host}`;
  }

  /** Cuts every line, without a word to either side. */
  cut(): void {
    for (const { near, far } of this.#pairs) {
      near.resetAndDestroy();
      far.resetAndDestroy();
    }
  }

  /** Cuts each line there is after so many more bytes from the server. */
  cutIn(bytes: number): void {
    for (const pair of this.#pairs) pair.left = bytes;
  }

  /** From now on nothing comes through on the lines there are; they stay open. */
  freeze(): void {
    for (const { near, far } of this.#pairs) {
      near.unpipe(far).pause();
      far.unpipe(near).pause();
    }
  }

  /** What was held back goes on. */
  thaw(): void {
    for (const { near, far } of this.#pairs) {
      near.pipe(far);
      far.pipe(near);
    }
  }

  /** Bytes from the server that were let through on the next line, before it is cut. */
  cutAfter: number | undefined;

  async end(): Promise<void> {
    this.cut();
    await new Promise((done) => this.#server.close(done));
  }

  #join(near: Socket): void {
    this.connects++;
    if (this.down) {
      near.resetAndDestroy();
      return;
    }
    const far = connect(this.target, "127.0.0.1");
    const pair = { near, far, left: this.cutAfter ?? Infinity };
    this.#pairs.add(pair);
    const gone = (): void => {
      this.#pairs.delete(pair);
      near.destroy();
      far.destroy();
    };
    for (const s of [near, far]) s.on("error", gone).on("close", gone);
    near.pipe(far);
    far.pipe(near);
    far.on("data", (b: Buffer) => {
      pair.left -= b.length;
      if (pair.left < 0) {
        near.resetAndDestroy();
        far.resetAndDestroy();
      }
    });
  }
}
