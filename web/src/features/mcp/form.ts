import type { ToolServerForm } from "@clew-run/client";

/** A tool server as it stands in the fields of the form: lists are texts, one entry to a line. */
export interface Filled {
  kind: "program" | "address";
  command: string;
  args: string;
  dir: string;
  env: string;
  url: string;
  headers: string;
  timeout: string;
}

export const empty: Filled = {
  kind: "program",
  command: "",
  args: "",
  dir: "",
  env: "",
  url: "",
  headers: "",
  timeout: "",
};

export function filledOf(s: ToolServerForm): Filled {
  return {
    kind: s.url ? "address" : "program",
    command: s.command ?? "",
    args: (s.args ?? []).join("\n"),
    dir: s.dir ?? "",
    env: pairs(s.env, "="),
    url: s.url ?? "",
    headers: pairs(s.headers, ": "),
    timeout: s.timeout_sec ? String(s.timeout_sec) : "",
  };
}

function pairs(of: Record<string, string> | undefined, between: string): string {
  return Object.entries(of ?? {})
    .map(([name, value]) => `${name}${between}${value}`)
    .join("\n");
}

/** A line that is no NAME=value or Name: value. */
export class BadLine extends Error {
  constructor(
    readonly field: "env" | "headers",
    readonly line: string,
  ) {
    super(line);
  }
}

/** What the fields stand for. Throws a BadLine. */
export function formOf(f: Filled): ToolServerForm {
  const timeout = Number(f.timeout) > 0 ? { timeout_sec: Math.round(Number(f.timeout)) } : {};
  if (f.kind === "address") {
    return { url: f.url.trim(), ...some("headers", read("headers", f.headers, ":")), ...timeout };
  }
  const args = lines(f.args);
  return {
    command: f.command.trim(),
    ...(args.length > 0 && { args }),
    ...some("env", read("env", f.env, "=")),
    ...(f.dir.trim() && { dir: f.dir.trim() }),
    ...timeout,
  };
}

function some<K extends string>(name: K, values: Record<string, string>): Partial<Record<K, Record<string, string>>> {
  return Object.keys(values).length > 0 ? ({ [name]: values } as Record<K, Record<string, string>>) : {};
}

function lines(text: string): string[] {
  return text.split("\n").filter((l) => l.trim() !== "");
}

function read(field: "env" | "headers", text: string, between: string): Record<string, string> {
  return Object.fromEntries(
    lines(text).map((line) => {
      const at = line.indexOf(between);
      if (at < 1) throw new BadLine(field, line);
      return [line.slice(0, at).trim(), line.slice(at + 1).trim()];
    }),
  );
}

/** A server that somebody pasted: alone, by its name, or below the key that other programs use. */
export function pasted(text: string): { name?: string; server: ToolServerForm } {
  let value = JSON.parse(text) as unknown;
  let name: string | undefined;
  for (const wrapper of ["mcpServers", "mcp_servers", "servers"])
    if (isObject(value) && isObject(value[wrapper])) value = value[wrapper];
  if (isObject(value) && value.command === undefined && value.url === undefined) {
    const [first, ...more] = Object.entries(value);
    if (!first || more.length > 0) throw new SyntaxError("not one server");
    [name, value] = first;
  }
  if (!isObject(value) || (typeof value.command !== "string" && typeof value.url !== "string"))
    throw new SyntaxError("not a server");
  const { command, args, env, dir, cwd, url, headers, timeout_sec } = value as Record<string, never>;
  return { name, server: { command, args, env, dir: dir ?? cwd, url, headers, timeout_sec } };
}

function isObject(v: unknown): v is Record<string, unknown> {
  return typeof v === "object" && v !== null && !Array.isArray(v);
}
