// Gives an agent something to do, prints what comes of it, and ends with the work.
import { createInterface } from "node:readline/promises";
import { ClewClient } from "@clew-run/client";

const client = new ClewClient({ baseUrl: process.env.URL ?? "http://127.0.0.1:8000", token: process.env.TOKEN });
const text = process.argv[2] ?? "What is in this directory?";
const id = process.argv[3] ?? (await client.rest.sessions.create({ title: text.slice(0, 60) })).session_id;

const abort = new AbortController();
process.once("SIGINT", () => abort.abort(new Error("stopped by Ctrl-C")));

const terminal = createInterface({ input: process.stdin, output: process.stdout });
const lines = terminal[Symbol.asyncIterator]();

/** Asks the person at the terminal. */
async function onQuestion(q) {
  const words = "question" in q;
  process.stdout.write(
    `\n${words ? q.question : (q.effect?.summary ?? q.reason ?? q.message)}${words ? " " : "\napprove? yes or no: "}`,
  );
  const { value: line = "" } = await lines.next();
  return words ? { value: line } : { action: /^y(es)?$/.test(line.trim()) ? "approve" : "reject" };
}

for await (const e of client
  .session(id)
  .ask(text, { signal: abort.signal, timeoutMs: 3_600_000, cancelOnExit: true, onQuestion })) {
  if (e.type === "text") process.stdout.write(e.text);
  else if (e.type === "tool") console.log(`\n[${e.tool.name} ${e.tool.target ?? ""}: ${e.tool.status}]`);
  else if (e.type === "result") {
    console.log(`\n-- ${e.outcome.status}, ${e.usage.cost_usd.toFixed(4)} USD`);
    process.exitCode = e.outcome.status === "done" ? 0 : 1;
  }
}
terminal.close();
