// Directories that sessions work in, and what a session would have there.

import type { StateData } from "../types.gen.js";

export interface FolderList {
  path: string;
  parent?: string;
  /** A session can work in it. */
  usable: boolean;
  /** For people. */
  why_not?: string;
  folders: { name: string; path: string; git?: boolean }[];
  more?: boolean;
}

/** What counts in a session for which nobody chose anything yet, as in the event state. */
export type SessionDefaults = Pick<
  StateData,
  "mode" | "auto_approval_enabled" | "always_allow_write" | "always_allow_execute" | "permissions"
> & {
  custom_modes: Record<string, unknown>[];
};

export interface FoundFile {
  path: string;
  directory?: boolean;
  /** The path as it stands in a message. */
  mention: string;
}

export interface FoundFiles {
  /** The best first. */
  files: FoundFile[];
  /** There is more than was looked at. */
  more?: boolean;
}

export interface SlashCommand {
  name: string;
  description: string;
  argument_hint?: string;
  path: string;
}

export interface SlashCommands {
  commands: SlashCommand[];
  skills: SlashCommand[];
}

/** What can be asked before there is a session, by the last part of the route. */
export interface BeforeSession {
  files: FoundFiles;
  "slash-commands": SlashCommands;
  /** Its mode and permissions. */
  defaults: SessionDefaults;
}

export interface BeforeQuery {
  path?: string;
  /** Of files: letters of the path, in order. */
  query?: string;
  limit?: number;
}
