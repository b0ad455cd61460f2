import type { ApiKey } from "@clew-run/client";
import { expect, test } from "vitest";
import { peopleOf } from "./people";

const key = (user: string, role: string, more: Partial<ApiKey> = {}) =>
  ({ id: `${user}-${role}`, user, role, created_ms: 1, last_four: "abcd", ...more }) as ApiKey;

test("people are those with a key that works, with what their keys allow", () => {
  const keys = [
    key("bea", "viewer"),
    key("ada", "owner"),
    key("ada", "admin"),
    key("gone", "admin", { revoked_ms: 5 }),
    key("old", "owner", { expires_ms: 10 }),
    key("new", "owner", { expires_ms: 11 }),
  ];
  expect(peopleOf(keys, 10).map((p) => [p.user, p.roles, p.keys.length])).toEqual([
    ["ada", ["admin", "owner"], 2],
    ["bea", ["viewer"], 1],
    ["new", ["owner"], 1],
  ]);
});
