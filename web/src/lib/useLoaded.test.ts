import { act, cleanup, renderHook } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";
import { useLoaded } from "./useLoaded";

afterEach(cleanup);

/** Something that loads until it is told to come. */
function slowly() {
  const coming = new Map<string, { come(value: string): void; fail(error: unknown): void }>();
  const load = (key: string) => new Promise<string>((come, fail) => coming.set(key, { come, fail }));
  return {
    load,
    come: (key: string, value: string) => act(async () => coming.get(key)!.come(value)),
    fail: (key: string, error: unknown) => act(async () => coming.get(key)!.fail(error)),
  };
}

function shown(first: { key: string; of?: string }) {
  const s = slowly();
  const seen: (string | undefined)[] = [];
  const hook = renderHook(
    ({ key, of }: { key: string; of?: string }) => {
      const loaded = useLoaded(key, () => s.load(key), of);
      seen.push(loaded.value);
      return loaded;
    },
    { initialProps: first },
  );
  return { ...s, ...hook, seen };
}

test("another key begins with nothing", async () => {
  const { result, rerender, come } = shown({ key: "a" });
  await come("a", "one");
  expect(result.current.value).toBe("one");
  rerender({ key: "b" });
  expect(result.current).toMatchObject({ value: undefined, loading: true });
  await come("a", "late");
  expect(result.current.value).toBeUndefined();
  await come("b", "two");
  expect(result.current).toMatchObject({ value: "two", loading: false });
});

test("what is of the same thing stays until the next is there", async () => {
  const { result, rerender, come, fail } = shown({ key: "a", of: "cell 1" });
  await come("a", "one");
  rerender({ key: "b", of: "cell 1" });
  expect(result.current).toMatchObject({ value: "one", loading: true });
  await come("b", "two");
  expect(result.current).toMatchObject({ value: "two", loading: false });
  rerender({ key: "c", of: "cell 1" });
  await fail("c", "gone");
  expect(result.current).toMatchObject({ value: "two", error: "gone", loading: false });
  rerender({ key: "d", of: "cell 1" });
  expect(result.current).toMatchObject({ value: "two", error: undefined, loading: true });
});

test("what is of another thing is never shown for this one", async () => {
  const { result, rerender, come, seen } = shown({ key: "a", of: "cell 1" });
  await come("a", "one");
  seen.length = 0;
  rerender({ key: "b", of: "cell 2" });
  await come("b", "two");
  expect(result.current.value).toBe("two");
  expect(seen).not.toContain("one");
  rerender({ key: "b", of: "cell 3" }); // the same address, elsewhere
  expect(result.current.value).toBeUndefined();
  await come("b", "three");
  expect(result.current.value).toBe("three");
});
