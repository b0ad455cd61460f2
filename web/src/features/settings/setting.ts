import type { Setting } from "@clew-run/client";

/** How a setting is edited. */
export type Control =
  | { kind: "switch" }
  | { kind: "choice"; options: string[] }
  | { kind: "number" }
  | { kind: "text"; long: boolean }
  | { kind: "lines" }
  | { kind: "json" };

/** What is not known of a setting is edited as data. */
export function controlOf(s: Setting): Control {
  switch (s.kind) {
    case "choice":
      return { kind: "choice", options: s.choices ?? [] };
    case "text":
    case "long_text":
      return { kind: "text", long: s.kind === "long_text" };
    case undefined:
      return { kind: "json" };
    default:
      return { kind: s.kind };
  }
}

/** A value as it stands in the editor. */
export function textOf(control: Control, value: unknown): string {
  if (control.kind === "lines") return ((value as string[]) ?? []).join("\n");
  if (control.kind === "json") return JSON.stringify(value, null, 2);
  return value === undefined || value === null ? "" : String(value);
}

/** The value that a text stands for. Throws if it stands for none. */
export function valueOf(control: Control, text: string): unknown {
  switch (control.kind) {
    case "lines":
      return text
        .split("\n")
        .map((l) => l.trim())
        .filter(Boolean);
    case "json":
      return JSON.parse(text) as unknown;
    case "number":
      if (text.trim() === "" || !Number.isFinite(Number(text))) throw new SyntaxError("not a number");
      return Number(text);
    default:
      return text;
  }
}
