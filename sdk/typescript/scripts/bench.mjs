// How fast changes and streamed text are taken in, and what listeners cost.
// Run: npm run bench
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";

const code = `
  export { Replica } from "./src/replica.ts";
  export { Transcript } from "./src/transcript.ts";
  export { SessionStore } from "./src/store.ts";
`;
const made = await build({
  stdin: { contents: code, resolveDir: process.cwd(), loader: "ts" },
  bundle: true,
  format: "esm",
  platform: "neutral",
  write: false,
});
const dir = mkdtempSync(join(tmpdir(), "clew-bench-"));
const file = join(dir, "replica.mjs");
writeFileSync(file, made.outputFiles[0].contents);
const { Replica, Transcript, SessionStore } = await import(pathToFileURL(file).href);
rmSync(dir, { recursive: true });

const idOf = (n) => `msg_${String(n).padStart(12, "0")}`;
const message = (n, more) => ({
  message_id: idOf(n),
  ts: n,
  type: "say",
  say: "text",
  role: "assistant",
  text: `message ${n}`,
  ...more,
});
const change = (n, m) => ({ from: idOf(n - 1), to: idOf(n), total: n, put: { message: [m] } });

/** A store that holds so many messages, the last of which grows. */
function filled(count) {
  const replica = new Replica(new Transcript(20_000));
  replica.apply({
    to: idOf(1),
    total: 0,
    put: { session: { title: "", owner: "o" }, status: { status: "executing" } },
  });
  const store = new SessionStore("s", replica, { state: "active", attempt: 0, since: 0, offline: false });
  for (let n = 2; n < count + 2; n++)
    replica.apply(change(n, message(n, n === count + 1 ? { partial: true, text: "" } : {})));
  store.changed();
  store.flush();
  return { replica, store, last: idOf(count + 1) };
}

function timed(name, n, fn) {
  fn(); // once to warm up
  const start = performance.now();
  fn();
  const ms = performance.now() - start;
  console.log(`${name}: ${ms.toFixed(0)} ms, ${((ms * 1000) / n).toFixed(2)} µs each`);
}

const deltas = 100_000;
for (const held of [10, 10_000]) {
  timed(`${deltas} deltas into the last of ${held} messages, published every 16th`, deltas, () => {
    const { replica, store, last } = filled(held);
    let heard = 0;
    store.subscribeMessage(last, () => heard++);
    for (let i = 0; i < deltas; i++) {
      replica.text({ message_id: last, offset: i * 6, delta: "token " });
      if (i % 16 === 15) {
        store.changed();
        store.flush();
      }
    }
    if (store.message(last).text.length !== deltas * 6 || heard !== deltas / 16) throw new Error("the text is wrong");
  });
}
const records = 20_000;
timed(`${records} messages, each published`, records, () => {
  const { replica, store } = filled(1);
  for (let n = 3; n < records + 3; n++) {
    replica.apply(change(n, message(n)));
    store.changed();
    store.flush();
  }
});
globalThis.gc?.();
const before = process.memoryUsage().heapUsed;
const { store } = filled(20_000);
globalThis.gc?.();
console.log(
  `20,000 messages held (exact with --expose-gc): ${((process.memoryUsage().heapUsed - before) / 2 ** 20).toFixed(0)} MiB (${store.getSnapshot().messageIds.length})`,
);
process.exit(0);
