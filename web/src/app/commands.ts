import { useEffect, type ReactNode } from "react";
import { create } from "zustand";
import { usePrefs } from "./prefs";

/**
 * A command is one thing a person can do: the palette lists it, the keyboard map
 * shows its keys, and the keys do it. Pages add theirs while they are open, so
 * there is one table for all three.
 */
export interface Command {
  id: string;
  title: string;
  /** Where it stands in the palette and in the map. */
  group: string;
  /** "Mod+k", "Shift+Enter", "i", "?". Mod is Ctrl, or ⌘ on a Mac. */
  keys?: string;
  /** Keys that do the same, for those who know them from elsewhere. */
  otherKeys?: string;
  /** Words by which it is found besides its title. */
  also?: string;
  icon?: ReactNode;
  /** A few more words behind the title. */
  note?: string;
  /** It is about the session that is open: it stands first in the palette. */
  here?: boolean;
  /** Its place among those; the lower the higher up. */
  rank?: number;
  run(): void;
}

interface Registry {
  commands: ReadonlyMap<string, Command>;
}

export const useRegistry = create<Registry>(() => ({ commands: new Map() }));

/** Adds commands while the component is there. Keep the list stable with useMemo. */
export function useCommands(commands: Command[]): void {
  useEffect(() => {
    useRegistry.setState((r) => ({ commands: new Map([...r.commands, ...commands.map((c) => [c.id, c] as const)]) }));
    return () =>
      useRegistry.setState((r) => {
        const rest = new Map(r.commands);
        for (const c of commands) if (rest.get(c.id) === c) rest.delete(c.id);
        return { commands: rest };
      });
  }, [commands]);
}

export const isMac = /Mac|iPhone|iPad/.test(navigator.platform ?? "");

/** The keys as a person reads them: "Ctrl K", "⌘K". */
export function keyNames(keys: string): string[] {
  return keys.split("+").map((k) => {
    if (k === "Mod") return isMac ? "⌘" : "Ctrl";
    if (k === "Shift") return isMac ? "⇧" : "Shift";
    if (k === "Enter") return "⏎";
    return k.length === 1 ? k.toUpperCase() : k;
  });
}

function spelled(e: KeyboardEvent): string {
  const parts: string[] = [];
  if (e.ctrlKey || e.metaKey) parts.push("Mod");
  if (e.altKey) parts.push("Alt");
  const letter = e.key.length === 1 && e.key.toLowerCase() !== e.key.toUpperCase();
  if (e.shiftKey && (letter || e.key.length > 1)) parts.push("Shift");
  parts.push(letter ? e.key.toLowerCase() : e.key);
  return parts.join("+");
}

/** Whether the focus is where letters are written. */
function writing(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target.isContentEditable) return true;
  if (target instanceof HTMLInputElement)
    return !["checkbox", "radio", "button", "range", "submit"].includes(target.type);
  return target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement;
}

/** Runs commands by their keys. Nothing happens while an input method composes. */
export function listenToKeys(): () => void {
  const onKey = (e: KeyboardEvent) => {
    if (e.isComposing || e.keyCode === 229 || e.defaultPrevented) return;
    const keys = spelled(e);
    const plain = !keys.includes("Mod") && !keys.includes("Alt") && e.key.length === 1;
    if (plain && (!usePrefs.getState().letterKeys || writing(e.target) || document.querySelector("dialog[open]")))
      return;
    for (const c of useRegistry.getState().commands.values()) {
      if (c.keys !== keys && c.otherKeys !== keys) continue;
      e.preventDefault();
      c.run();
      return;
    }
  };
  window.addEventListener("keydown", onKey);
  return () => window.removeEventListener("keydown", onKey);
}
