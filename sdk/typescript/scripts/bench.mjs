// How fast records and streamed text are folded, and what listeners cost.
// Run: npm run bench
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";

const code = `
  export { Fold } from "./src/fold.ts";
  export { Transcript } from "./src/transcript.ts";
  export { SessionStore } from "./src/store.ts";
`;
const made = await build({ stdin: { contents: code, resolveDir: process.cwd(), loader: "ts" }, bundle: true, format: "esm", platform: "neutral", write: false });
const dir = mkdtempSync(join(tmpdir(), "clew-bench-"));
const file = join(dir, "fold.mjs");
writeFileSync(file, made.outputFiles[0].contents);
const { Fold, Transcript, SessionStore } = await import(pathToFileURL(file).href);
rmSync(dir, { recursive: true });

const idOf = (n) => `msg_${String(n).padStart(12, "0")}`;
const timestamp = new Date(0).toISOString();
const message = (n, more) => ({ message_id: idOf(n), ts: n, type: "say", say: "text", role: "assistant", text: `message ${n}`, ...more });
const record = (n, m) => ({ type: "message_created", message_id: idOf(n), timestamp, data: { message: m } });

/** A store that holds so many messages, the last of which grows. */
function filled(count) {
  const fold = new Fold("s", new Transcript(20_000));
  fold.state({
    status: "executing", current_layer: null, plan: null, todos: [], hitl_pending: null, last_message_id: idOf(1), client_id: "c", epoch: "e",
    title: "", owner: "o", messages: [], open_messages: [], hitl_queue: [], runs: [], monitors: [], windows: [],
  }, true, false);
  const store = new SessionStore(fold, { state: "active", attempt: 0, since: 0, offline: false });
  for (let n = 2; n < count + 2; n++) fold.envelope(record(n, message(n, n === count + 1 ? { partial: true, text: "" } : {})));
  store.changed();
  store.flush();
  return { fold, store, last: idOf(count + 1) };
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
    const { fold, store, last } = filled(held);
    let heard = 0;
    store.subscribeMessage(last, () => heard++);
    for (let i = 0; i < deltas; i++) {
      fold.envelope({ type: "agent_response", timestamp, data: { message_id: last, agent_id: "a", offset: i * 6, delta: "token " } });
      if (i % 16 === 15) {
        store.changed();
        store.flush();
      }
    }
    if (store.message(last).text.length !== deltas * 6 || heard !== deltas / 16) throw new Error("the fold is wrong");
  });
}
const records = 20_000;
timed(`${records} messages, each published`, records, () => {
  const { fold, store } = filled(1);
  for (let n = 3; n < records + 3; n++) {
    fold.envelope(record(n, message(n)));
    store.changed();
    store.flush();
  }
});
globalThis.gc?.();
const before = process.memoryUsage().heapUsed;
const { store } = filled(20_000);
globalThis.gc?.();
console.log(`20,000 messages held (exact with --expose-gc): ${((process.memoryUsage().heapUsed - before) / 2 ** 20).toFixed(0)} MiB (${store.getSnapshot().messageIds.length})`);
process.exit(0);
