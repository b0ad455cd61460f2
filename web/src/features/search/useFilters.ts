import type { FoundKind, SearchQuery } from "@clew-run/client";
import { useCallback, useMemo } from "react";
import { useLocation, useSearch } from "wouter";

export const kinds = ["message", "command", "file", "title"] as const satisfies FoundKind[];
export const times = { day: 1, week: 7, month: 30, year: 365 };
export type Time = keyof typeof times;

/** What is looked for, and where. The address holds it, so that it can be kept, sent and gone back to. */
export interface Filters {
  q: string;
  kind?: FoundKind;
  folder?: string;
  person?: string;
  time?: Time;
  everyone?: "1";
  sort?: "newest";
}

/** What an address says; whatever makes no sense in it is left out. */
export function filtersOf(search: string): Filters {
  const given = new URLSearchParams(search);
  const kind = kinds.find((k) => k === given.get("kind"));
  const time = (Object.keys(times) as Time[]).find((t) => t === given.get("time"));
  return {
    q: given.get("q") ?? "",
    kind,
    time,
    folder: given.get("folder") || undefined,
    person: given.get("person") || undefined,
    everyone: given.get("everyone") === "1" ? "1" : undefined,
    sort: given.get("sort") === "newest" ? "newest" : undefined,
  };
}

export function addressOf(filters: Filters): string {
  const set = Object.entries(filters).filter(([, value]) => value !== undefined && value !== "") as [string, string][];
  return set.length > 0 ? `/search?${new URLSearchParams(set)}` : "/search";
}

/** As the server takes it. A period ends now, to the hour: the same search stays the same for a while. */
export function queryOf(f: Filters, now: number): SearchQuery {
  const hour = 3_600_000;
  const since = f.time && Math.floor((now - times[f.time] * 24 * hour) / hour) * hour;
  return {
    q: f.q.trim(),
    kind: f.kind,
    workspace: f.folder,
    person: f.person,
    since,
    owner: f.everyone && "*",
    sort: f.sort,
  };
}

/** The filters, and how to change them; letters of a query leave no trail to go back through. */
export function useFilters(): [Filters, (change: Partial<Filters>, replace?: boolean) => void] {
  const search = useSearch();
  const [, navigate] = useLocation();
  const filters = useMemo(() => filtersOf(search), [search]);
  const change = useCallback(
    (c: Partial<Filters>, replace = false) => navigate(addressOf({ ...filtersOf(location.search), ...c }), { replace }),
    [navigate],
  );
  return [filters, change];
}
