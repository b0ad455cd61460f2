import type { OutputKind, TranscriptMessage } from "@clew-run/client";

/** What a cell shows, by MIME type: a text, a JSON value, or the address of something large. */
export type Bundle = Readonly<Record<string, unknown>>;

/** One output of a cell, whether it came from the kernel or from the file. */
export type Output =
  | { kind: "stream"; key: string; name: "stdout" | "stderr"; text: string }
  | { kind: "data"; key: string; data: Bundle; count?: number }
  | { kind: "error"; key: string; name: string; value: string; text: string };

/** What is too large for a record: it is fetched when it is shown. */
export interface Held {
  blob: string;
  bytes?: number;
}

export function isHeld(value: unknown): value is Held {
  if (!isObject(value) || typeof value.blob !== "string") return false;
  return Object.keys(value).every((k) => k === "blob" || k === "bytes");
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

type About = Record<string, unknown>;

const readers: Record<OutputKind, ((m: TranscriptMessage, about: About) => Output) | null> = {
  stream: (m, about) => ({
    kind: "stream",
    key: m.message_id,
    name: about.stream === "stderr" ? "stderr" : "stdout",
    text: m.text ?? "",
  }),
  error: (m, about) => ({
    kind: "error",
    key: m.message_id,
    name: textIn(about.ename),
    value: textIn(about.evalue),
    text: m.text ?? "",
  }),
  display_data: dataIn,
  execute_result: dataIn,
  status: null,
};

function dataIn(m: TranscriptMessage, about: About): Output {
  return { kind: "data", key: m.message_id, data: dataOf(about.data, m.text), count: countIn(about.execution_count) };
}

const made = new WeakMap<TranscriptMessage, Output | null>();

/** The output that a message of the transcript is, the same for the same message; null if the cell does not show it. */
export function outputOf(m: TranscriptMessage | undefined): Output | null {
  if (!m) return null;
  let output = made.get(m);
  if (output === undefined)
    made.set(m, (output = (m.cell && !m.cell.cleared && readers[m.cell.output]?.(m, m.metadata ?? {})) || null));
  return output;
}

/** What a message shows: with its text where the bundle has none. */
function dataOf(data: unknown, text: string | undefined): Bundle {
  const bundle = isObject(data) ? data : {};
  return text && !("text/plain" in bundle) ? { ...bundle, "text/plain": text } : bundle;
}

/** The outputs that a file has, as it has them. What is none is left out. */
export function outputsOfFile(list: unknown): Output[] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((o: unknown, i) => (isObject(o) ? (ofFile(o, String(i)) ?? []) : []));
}

function ofFile(o: Record<string, unknown>, key: string): Output | null {
  switch (o.output_type) {
    case "stream":
      return { kind: "stream", key, name: o.name === "stderr" ? "stderr" : "stdout", text: textIn(o.text) };
    case "error":
      return {
        kind: "error",
        key,
        name: textIn(o.ename),
        value: textIn(o.evalue),
        text: Array.isArray(o.traceback) ? o.traceback.map(textIn).join("\n") : "",
      };
    case "display_data":
    case "execute_result":
      return { kind: "data", key, data: bundleOfFile(o.data), count: countIn(o.execution_count) };
    default:
      return null;
  }
}

/** A file may have texts in lines. JSON stays as it is. */
function bundleOfFile(data: unknown): Bundle {
  if (!isObject(data)) return {};
  return Object.fromEntries(Object.entries(data).map(([type, v]) => [type, /[/+]json$/.test(type) ? v : textIn(v)]));
}

function textIn(value: unknown): string {
  if (Array.isArray(value)) return value.map(textIn).join("");
  return typeof value === "string" ? value : "";
}

function countIn(value: unknown): number | undefined {
  return typeof value === "number" && value > 0 ? value : undefined;
}

/** Streams of one name that follow each other are one, as a terminal would show them. */
export function merged(outputs: readonly Output[]): Output[] {
  const list: Output[] = [];
  for (const o of outputs) {
    const last = list.at(-1);
    if (o.kind === "stream" && last?.kind === "stream" && last.name === o.name)
      list[list.length - 1] = { ...last, text: last.text + o.text };
    else list.push(o);
  }
  return list;
}
