import type { CellInfo, NotebookInfo, Session, TranscriptMessage } from "@clew-run/client";
import { act, cleanup, render, renderHook } from "@testing-library/react";
import { createElement } from "react";
import { afterEach, expect, test, vi } from "vitest";
import { client } from "@/app/client";
import type { Book } from "./book";
import type { CellActs } from "./CellView";
import { useOutputs } from "./outputs/useOutputs";
import { Source } from "./Source";
import { useVariables } from "./Variables";

afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

const session = {
  id: "s",
  store: { message: () => undefined, subscribeMessage: () => () => {} },
} as unknown as Session;
const moment = () => act(async () => {});

/** Blobs that come when they are told to. */
function blobs() {
  const coming = new Map<string, (value: unknown) => void>();
  vi.spyOn(client.rest.sessions, "blob").mockImplementation(
    (_, address) =>
      new Promise((done) =>
        coming.set(address, (value) => done({ json: async () => value, text: async () => value } as Response)),
      ),
  );
  return (address: string, value: unknown) => act(async () => coming.get(address)!(value));
}

test("the list of variables stays until the next one is there", async () => {
  const come = blobs();
  const after = (variables: string, notebook_id = "n") => ({ notebook: { notebook_id, variables } as NotebookInfo });
  const { result, rerender } = renderHook(({ notebook }) => useVariables(session, notebook), {
    initialProps: after("one"),
  });
  await come("one", [{ name: "x" }]);
  rerender(after("two"));
  expect(result.current.value).toMatchObject([{ name: "x" }]);
  await come("two", [{ name: "y" }]);
  expect(result.current.value).toMatchObject([{ name: "y" }]);
  rerender(after("three", "another"));
  expect(result.current.value).toBeUndefined();
});

test("outputs that were fetched stay while they are fetched again", async () => {
  const pages: ((page: { messages: TranscriptMessage[] }) => void)[] = [];
  vi.spyOn(client.rest.sessions, "messages").mockImplementation(() => new Promise((done) => pages.push(done as never)));
  const message = {
    message_id: "m",
    text: "hello",
    cell: { notebook_id: "n", cell_id: "a", output: "stream" },
  } as unknown as TranscriptMessage;
  const outputs = ["m"];
  const cell = (status: string) => ({
    cell: { notebook_id: "n", cell_id: "a", type: "code", status, outputs } as CellInfo,
  });
  const { result, rerender } = renderHook((p) => useOutputs(session, p.cell), { initialProps: cell("running") });
  await act(async () => pages[0]!({ messages: [message] }));
  expect(result.current.list).toHaveLength(1);
  rerender(cell("ok"));
  await moment();
  expect(pages).toHaveLength(2);
  expect(result.current.list).toHaveLength(1);
});

test("a long source stays until the next one is there, and is that of its cell", async () => {
  const known = new Map<string, string>();
  const coming = new Map<string, () => void>();
  const book = {
    session,
    sourceOf: (c: CellInfo) => known.get(c.source_blob!),
    fetchSource: (address: string) =>
      new Promise<string>((done) =>
        coming.set(address, () => (known.set(address, `text of ${address}`), done(`text of ${address}`))),
      ),
  } as unknown as Book;
  const source = (source_blob: string, cell_id = "a") =>
    createElement(Source, {
      book,
      cell: { notebook_id: "n", cell_id, type: "raw", source_blob, outputs: [] },
      n: 1,
      draft: undefined,
      editing: undefined,
      mayChange: true,
      language: "python",
      acts: {} as CellActs,
    });
  const { container, rerender } = render(source("one"));
  await act(async () => coming.get("one")!());
  expect(container.textContent).toBe("text of one");
  rerender(source("two"));
  await moment();
  expect(container.textContent).toBe("text of one");
  await act(async () => coming.get("two")!());
  expect(container.textContent).toBe("text of two");
  rerender(source("three", "b"));
  expect(container.textContent).toContain("Loading");
});
