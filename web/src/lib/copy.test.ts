import { afterEach, expect, test, vi } from "vitest";
import { copyText } from "./copy";

afterEach(() => vi.unstubAllGlobals());

test("a text is copied by the browser's clipboard", async () => {
  const writeText = vi.fn(async () => {});
  vi.stubGlobal("navigator", { clipboard: { writeText } });
  expect(await copyText("clew open")).toBe(true);
  expect(writeText).toHaveBeenCalledWith("clew open");
});

test("without one, or if it refuses, the old way is taken and nothing is left behind", async () => {
  const copied: string[] = [];
  document.execCommand = vi.fn(() => {
    copied.push(document.querySelector("textarea")!.value);
    return true;
  });
  for (const clipboard of [undefined, { writeText: async () => Promise.reject(new Error("not allowed")) }]) {
    vi.stubGlobal("navigator", { clipboard });
    expect(await copyText("clew open")).toBe(true);
  }
  expect(copied).toEqual(["clew open", "clew open"]);
  expect(document.querySelector("textarea")).toBeNull();
});
