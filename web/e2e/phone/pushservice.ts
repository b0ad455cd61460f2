import { execFile } from "node:child_process";
import { createDecipheriv, createECDH, hkdfSync, randomBytes, type ECDH } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer, type Server } from "node:https";
import type { IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { until } from "../harness";

/** What the server pushes. */
export interface Pushed {
  kind: "question" | "settled" | "test";
  request_id?: string;
  session_id?: string;
  title?: string;
  asks?: string;
  inbox: number;
}

export interface Delivery {
  headers: IncomingMessage["headers"];
  /** As it was before the server sealed it. */
  plain: string;
  message: Pushed;
}

/** A push service on loopback, over TLS, with browsers behind it that decrypt what they get (RFC 8291). */
export class PushService {
  readonly certFile: string;
  readonly #dir: string;
  readonly #server: Server;
  readonly #devices = new Map<string, Device>();

  private constructor(dir: string, certFile: string, server: Server) {
    this.#dir = dir;
    this.certFile = certFile;
    this.#server = server;
    server.on("request", (req, res) => {
      const parts: Buffer[] = [];
      req.on("data", (b: Buffer) => parts.push(b));
      req.on("end", () => {
        const device = this.#devices.get(req.url ?? "");
        if (device?.subscribed) device.take(req.headers, Buffer.concat(parts));
        res.writeHead(device?.subscribed ? 201 : 410).end();
      });
    });
  }

  static async start(): Promise<PushService> {
    const dir = await mkdtemp(join(tmpdir(), "clew-web-push-"));
    const [key, cert] = [join(dir, "key.pem"), join(dir, "cert.pem")];
    await promisify(execFile)("openssl", [
      "req",
      "-x509",
      "-newkey",
      "ec",
      "-pkeyopt",
      "ec_paramgen_curve:P-256",
      "-nodes",
      "-days",
      "2",
      "-subj",
      "/CN=push",
      "-addext",
      "subjectAltName=IP:127.0.0.1",
      "-keyout",
      key,
      "-out",
      cert,
    ]);
    const server = createServer({ key: await readFile(key), cert: await readFile(cert) });
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    return new PushService(dir, cert, server);
  }

  get address(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** A browser that can be pushed to. */
  device(): Device {
    const path = `/push/${randomBytes(12).toString("hex")}`;
    const device = new Device(`https://${this.address}${path}`);
    this.#devices.set(path, device);
    return device;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((done) => this.#server.close(done));
    await rm(this.#dir, { recursive: true, force: true });
  }
}

export class Device {
  subscribed = true;
  readonly endpoint: string;
  readonly #key: ECDH = createECDH("prime256v1");
  readonly #auth = randomBytes(16);
  readonly #got: Delivery[] = [];

  constructor(endpoint: string) {
    this.endpoint = endpoint;
    this.#key.generateKeys();
  }

  /** A push service cannot be reached from here: the page's subscription is this one, and all else is as it is. */
  get script(): string {
    const keys = { p256dh: this.#key.getPublicKey("base64url"), auth: this.#auth.toString("base64url") };
    return `{
      const [endpoint, keys, mark] = ${JSON.stringify([this.endpoint, keys, "test.push"])};
      const subscription = () => ({
        endpoint,
        options: { applicationServerKey: Uint8Array.from(JSON.parse(localStorage.getItem(mark))).buffer },
        toJSON: () => ({ endpoint, expirationTime: null, keys }),
        unsubscribe: async () => (localStorage.removeItem(mark), true),
      });
      PushManager.prototype.subscribe = async (o) => (localStorage.setItem(mark, JSON.stringify([...o.applicationServerKey])), subscription());
      PushManager.prototype.getSubscription = async () => (localStorage.getItem(mark) ? subscription() : null);
    }`;
  }

  /** The next message that nobody has taken yet, of a kind. */
  async next(kind: Pushed["kind"], request?: string): Promise<Delivery> {
    return until(`a push: ${kind}`, () => {
      const at = this.#got.findIndex((d) => d.message.kind === kind && (!request || d.message.request_id === request));
      return at < 0 ? undefined : this.#got.splice(at, 1)[0];
    });
  }

  take(headers: IncomingMessage["headers"], sealed: Buffer): void {
    const plain = this.#open(sealed);
    this.#got.push({ headers, plain, message: JSON.parse(plain) as Pushed });
  }

  #open(sealed: Buffer): string {
    const salt = sealed.subarray(0, 16);
    const length = sealed[20]!;
    const theirs = sealed.subarray(21, 21 + length);
    const box = sealed.subarray(21 + length);
    const info = Buffer.concat([Buffer.from("WebPush: info\0"), this.#key.getPublicKey(), theirs]);
    const secret = Buffer.from(hkdfSync("sha256", this.#key.computeSecret(theirs), this.#auth, info, 32));
    const derived = (what: string, n: number) =>
      Buffer.from(hkdfSync("sha256", secret, salt, `Content-Encoding: ${what}\0`, n));
    const cipher = createDecipheriv("aes-128-gcm", derived("aes128gcm", 16), derived("nonce", 12));
    cipher.setAuthTag(box.subarray(-16));
    const padded = Buffer.concat([cipher.update(box.subarray(0, -16)), cipher.final()]);
    return padded.subarray(0, padded.lastIndexOf(2)).toString("utf8"); // 2 ends the last record; zeros follow
  }
}
