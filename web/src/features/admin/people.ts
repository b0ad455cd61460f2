import type { ApiKey } from "@clew-run/client";

export interface Person {
  user: string;
  /** The roles that their keys have, the mightiest first. */
  roles: string[];
  keys: ApiKey[];
}

const order = ["admin", "owner", "approver", "viewer"];

/** The people of a server: whoever has a key that works. There is no other list of them. */
export function peopleOf(keys: readonly ApiKey[], now: number): Person[] {
  const alive = keys.filter((k) => !k.revoked_ms && !(k.expires_ms && k.expires_ms <= now));
  return [...Map.groupBy(alive, (k) => k.user)]
    .map(([user, own]) => ({ user, keys: own, roles: order.filter((r) => own.some((k) => k.role === r)) }))
    .sort((a, b) => a.user.localeCompare(b.user));
}
