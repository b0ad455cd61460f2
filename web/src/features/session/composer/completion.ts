import type { FoundFile, FoundFiles, SlashCommands } from "@clew-run/client";

/** What is being called by name where the cursor is: a file with @, a command with / at the start. */
export interface Called {
  kind: "file" | "command";
  /** Where the sign stands. */
  from: number;
  query: string;
}

/** Where names come from: a session, or a folder in which one is about to begin. */
export interface Names {
  files(query: { query: string; limit: number }, signal: AbortSignal): Promise<FoundFiles>;
  slashCommands(): Promise<SlashCommands>;
}

/** Something that can take the place of what was typed. */
export interface Suggestion {
  id: string;
  label: string;
  help?: string;
  /** The text that is written. */
  text: string;
  /** One may go on inside it. */
  open?: boolean;
}

/** Finds what is called at the cursor. Pure and cheap: it runs with each key. */
export function calledAt(text: string, cursor: number): Called | null {
  const before = text.slice(Math.max(0, cursor - 500), cursor);
  const file = /(?:^|[\s([{])@("[^"\n]*|[^\s"]*)$/.exec(before);
  if (file) return { kind: "file", from: cursor - file[1]!.length - 1, query: file[1]!.replace(/^"/, "") };
  const command = /^\/([\w:.-]*)$/.exec(text.slice(0, cursor));
  return command ? { kind: "command", from: 0, query: command[1]! } : null;
}

export function ofFiles(files: readonly FoundFile[]): Suggestion[] {
  return files.map((f) => ({
    id: f.path,
    label: f.directory ? `${f.path}/` : f.path,
    text: f.mention,
    open: f.directory,
  }));
}

/** Commands and skills whose names have what is typed, those that begin with it first. */
export function ofCommands(list: SlashCommands, query: string, useSkill: (name: string) => string): Suggestion[] {
  const fits = (name: string) => name.toLowerCase().includes(query.toLowerCase());
  const late = (name: string) => Number(!name.toLowerCase().startsWith(query.toLowerCase()));
  const commands = list.commands
    .filter((c) => fits(c.name))
    .map((c): Suggestion => ({
      id: `/${c.name}`,
      label: `/${c.name}${c.argument_hint ? ` ${c.argument_hint}` : ""}`,
      help: c.description,
      text: `/${c.name}`,
    }));
  const skills = list.skills
    .filter((s) => fits(s.name))
    .map((s): Suggestion => ({ id: `skill ${s.name}`, label: s.name, help: s.description, text: useSkill(s.name) }));
  return [...commands, ...skills].toSorted(
    (a, b) => late(a.id.replace(/^(\/|skill )/, "")) - late(b.id.replace(/^(\/|skill )/, "")),
  );
}

/** Whether words may be the call of a command. */
export function callsCommand(words: string): boolean {
  return /^\/[\w:.-]+(\s|$)/.test(words);
}

export interface CommandWays {
  slashCommands(sessionId: string): Promise<SlashCommands>;
  expand(sessionId: string, text: string): Promise<{ text: string; mode?: string }>;
}

/** The message that a command stands for. Words that only begin like one are sent as they are. */
export async function commandIn(
  ways: CommandWays,
  sessionId: string,
  text: string,
): Promise<{ text: string; mode?: string } | undefined> {
  const name = /^\/([\w:.-]+)(?:\s|$)/.exec(text)?.[1];
  if (name === undefined) return undefined;
  const { commands } = await ways.slashCommands(sessionId);
  return commands.some((c) => c.name === name) ? ways.expand(sessionId, text) : undefined;
}
