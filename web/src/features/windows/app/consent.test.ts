import { beforeEach, expect, test } from "vitest";
import { renderHook } from "@testing-library/react";
import type { WindowContent } from "@clew-run/client";
import { hostsOf, pageId, setConsent, useConsent } from "./consent";

const weather: WindowContent = {
  kind: "mcp_app",
  blob: "blob:1",
  server: "weather",
  uri: "ui://w",
  connect: ["https://api.example.org"],
  load: ["https://*.example.org:8443"],
};
const given = (c: WindowContent) => renderHook(() => useConsent(pageId(c))).result.current;

beforeEach(() => setConsent(pageId(weather), undefined));

test("a consent is for this very page, of this server, with these hosts", () => {
  expect(given(weather)).toBeUndefined();
  setConsent(pageId(weather), "network");
  expect(given({ ...weather, tool: "other", data: "blob:9" })).toBe("network"); // another call of the same page
  const others: Partial<WindowContent>[] = [
    { blob: "blob:2" },
    { server: "other" },
    { uri: "ui://x" },
    { connect: ["https://api.example.org", "https://more.example.org"] },
    { load: [] },
    { kind: "app" },
  ];
  for (const o of others) expect(given({ ...weather, ...o }), JSON.stringify(o)).toBeUndefined();
  expect(JSON.parse(localStorage.getItem("clew.apps")!)).toEqual({ [pageId(weather)]: "network" });
  setConsent(pageId(weather), undefined);
  expect(given(weather)).toBeUndefined();
  expect(localStorage.getItem("clew.apps")).toBe("{}");
});

test("of too many the oldest are forgotten", () => {
  const n = (i: number): WindowContent => ({ kind: "app", blob: `blob:${i}` });
  for (let i = 0; i < 205; i++) setConsent(pageId(n(i)), "run");
  expect([given(n(4)), given(n(5)), given(n(204))]).toEqual([undefined, "run", "run"]);
});

test("the frame's address names its hosts", () => {
  expect(hostsOf(weather)).toBe("&connect=https%3A%2F%2Fapi.example.org&load=https%3A%2F%2F*.example.org%3A8443");
  expect(hostsOf({ kind: "app" })).toBe("");
});
