// Settings, rules and tool servers.

import type { RememberScope } from "../types.gen.js";

export interface Setting {
  key: string;
  value: unknown;
  layer: string;
  hidden?: boolean;
  unknown?: boolean;
  group?: string;
  doc?: string;
  /** Which values are valid, for people. */
  allowed?: string;
  default?: unknown;
  /** How it is edited. */
  kind?: "switch" | "choice" | "number" | "text" | "long_text" | "lines" | "json";
  /** The values there are, with kind choice. */
  choices?: string[];
  /** The bounds, with kind number. */
  min?: number;
  max?: number;
  /** What a session may do with it for itself: any value, a stricter one, nothing. */
  session?: "free" | "tighten" | "never";
}

export type Preset = "ask" | "edits" | "sandbox";

export interface Permissions {
  workspace: string;
  chosen: Preset | "";
  holds: Preset;
  /** Somebody chose. */
  decided: boolean;
}

export interface RuleQuestion {
  session_id: string;
  request_id: string;
  pattern: string;
}

export interface RuleCheck {
  covers: boolean;
  match?: string;
  near_miss?: string;
  problem?: string;
  /** Commands that the pattern covers run code of the workspace, such as its tests. */
  runs_workspace?: boolean;
}

/** A rule that the server keeps for you, with the scope `workspace` or `always`. */
export interface KeptRule {
  id: string;
  scope: RememberScope;
  /** The directory that it counts in, with the scope `workspace`. */
  dir?: string;
  tool: string;
  /** Of commands: a pattern; of fetch: the host. */
  pattern?: string;
  ts: number;
}

/** How the trial of a tool server came out. */
export interface ToolServerTried {
  ok: boolean;
  latency_ms: number;
  tools: string[];
  /** For people. */
  error?: string;
}

/** A tool server as a person writes it down. */
export interface ToolServerForm {
  command?: string;
  args?: string[];
  env?: Record<string, string>;
  dir?: string;
  url?: string;
  headers?: Record<string, string>;
  timeout_sec?: number;
}
