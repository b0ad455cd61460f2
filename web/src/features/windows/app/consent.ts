import type { WindowContent } from "@clew-run/client";
import { create } from "zustand";

/** What a person let a page do: run, or run and reach the hosts that it asks for. */
export type Consent = "run" | "network";

const key = "clew.apps";
const most = 200;

type Kept = Record<string, Consent>;

function fromBrowser(): Kept {
  try {
    const read: unknown = JSON.parse(localStorage.getItem(key) ?? "{}");
    const entries = Object.entries(typeof read === "object" && read !== null ? read : {});
    return Object.fromEntries(entries.filter((e): e is [string, Consent] => e[1] === "run" || e[1] === "network"));
  } catch {
    return {}; // unreadable or forbidden storage: everything is asked again
  }
}

const useKept = create<Kept>(fromBrowser);

/**
 * What a consent is for: this very page, of this server, with these hosts. The address
 * of a blob is the hash of its content, so a page that changed is another one.
 */
export function pageId(c: WindowContent): string {
  return JSON.stringify([c.kind, c.blob, c.server, c.uri, c.connect ?? [], c.load ?? []]);
}

export function useConsent(page: string): Consent | undefined {
  return useKept((s) => (Object.hasOwn(s, page) ? s[page] : undefined));
}

/** Remembers it in this browser, or forgets it. Of too many the oldest are forgotten. */
export function setConsent(page: string, consent: Consent | undefined): void {
  const others = Object.entries(useKept.getState()).filter(([p]) => p !== page);
  const kept = Object.fromEntries(consent ? [...others.slice(1 - most), [page, consent]] : others);
  useKept.setState(kept, true);
  try {
    localStorage.setItem(key, JSON.stringify(kept));
  } catch {
    // kept for this page then
  }
}

/** The hosts as the frame's address has them. */
export function hostsOf(c: WindowContent): string {
  const list = (name: string, hosts: readonly string[] = []) =>
    hosts.map((h) => `&${name}=${encodeURIComponent(h)}`).join("");
  return list("connect", c.connect) + list("load", c.load);
}
