import type { Setting } from "@clew-run/client";

/** How a setting is edited. */
export type Control =
  | { kind: "switch" }
  | { kind: "choice"; options: string[] }
  | { kind: "number" }
  | { kind: "text"; long: boolean }
  | { kind: "lines" }
  | { kind: "json" };

/** Chosen by the default's type and by what the documentation allows: "`ask`, `auto`" is a choice. */
export function controlOf(s: Setting): Control {
  const sample = s.default ?? s.value;
  const named = [...(s.allowed ?? "").matchAll(/`([^`]+)`/g)].map((m) => m[1]!);
  if (typeof sample === "boolean") return { kind: "switch" };
  if (typeof sample === "number") return { kind: "number" };
  if (typeof sample === "string") {
    const list = (s.allowed ?? "").replace(/`[^`]+`/g, "").replace(/[,\s]|or/g, "") === "";
    if (named.length > 1 && list) return { kind: "choice", options: named };
    return { kind: "text", long: /KiB/.test(s.allowed ?? "") };
  }
  if (Array.isArray(sample) && [...sample, ...((s.value as unknown[]) ?? [])].every((v) => typeof v === "string") && /patterns|names|hosts|text|list of/.test(s.allowed ?? "") && !/objects|modes/.test(s.allowed ?? "")) {
    return { kind: "lines" };
  }
  return { kind: "json" };
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
      return text.split("\n").map((l) => l.trim()).filter(Boolean);
    case "json":
      return JSON.parse(text) as unknown;
    case "number":
      if (text.trim() === "" || !Number.isFinite(Number(text))) throw new SyntaxError("not a number");
      return Number(text);
    default:
      return text;
  }
}
