import { expect, test } from "vitest";
import { addressOf, filtersOf, queryOf } from "./useFilters";

test("an address holds the whole search, and says nothing that is not chosen", () => {
  const all = {
    q: "request key & more",
    kind: "file",
    folder: "/src/my shop",
    person: "mina",
    time: "week",
    everyone: "1",
    sort: "newest",
  } as const;
  expect(filtersOf(addressOf(all).split("?")[1]!)).toEqual(all);
  expect(addressOf({ q: "" })).toBe("/search");
  expect(addressOf({ q: "a b" })).toBe("/search?q=a+b");
});

test("what makes no sense in an address is left out", () => {
  expect(filtersOf("q=x&kind=tests&time=ever&sort=oldest&everyone=yes&folder=")).toEqual({ q: "x" });
});

test("a period begins at a full hour", () => {
  const hour = 3_600_000;
  expect(queryOf({ q: " a ", time: "day" }, 100 * hour + 5)).toEqual({ q: "a", since: 76 * hour });
  expect(queryOf({ q: "a", everyone: "1", folder: "/x" }, 0)).toEqual({ q: "a", owner: "*", workspace: "/x" });
});
