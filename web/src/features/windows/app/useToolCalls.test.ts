import { act, renderHook } from "@testing-library/react";
import type { Session, WindowState } from "@clew-run/client";
import { expect, test, vi } from "vitest";
import { client } from "@/app/client";
import { useToolCalls } from "./useToolCalls";

type AppCalls = NonNullable<WindowState["app_calls"]>;

function page() {
  const send = vi.fn<(type: string, data: { request_id: string }) => Promise<unknown>>(async () => ({}));
  const session = { id: "s1", send } as unknown as Session;
  const w = (app_calls: AppCalls): WindowState => ({ window_id: "w", title: "W", version: 1, app_calls });
  const hook = renderHook(({ calls }) => useToolCalls(session, w(calls)), { initialProps: { calls: [] as AppCalls } });
  const show = (...calls: AppCalls) => act(() => hook.rerender({ calls }));
  return {
    send,
    call: hook.result.current,
    show,
    id: (n: number) => send.mock.calls[n]![1].request_id,
    end: hook.unmount,
  };
}

test("a call is answered by the window's state, each by its own name", async () => {
  vi.spyOn(client.rest.sessions, "blob").mockImplementation(
    async (_, address) => new Response(JSON.stringify({ from: address })),
  );
  const p = page();
  const first = p.call("refresh", { city: "Oslo" });
  const second = p.call("refresh", {});
  expect(p.send).toHaveBeenNthCalledWith(1, "app_call", {
    window_id: "w",
    request_id: p.id(0),
    tool: "refresh",
    arguments: { city: "Oslo" },
  });
  p.show(
    { request_id: p.id(0), tool: "refresh", status: "waiting" },
    { request_id: p.id(1), tool: "refresh", status: "refused", error: "a person denied it" },
  );
  await expect(second).rejects.toThrow("a person denied it");
  p.show(
    { request_id: "somebody-else", tool: "refresh", status: "done", result: "blob:2" },
    { request_id: p.id(0), tool: "refresh", status: "done", result: "blob:1" },
  );
  await expect(first).resolves.toEqual({ from: "blob:1" });
});

test("a call that the server does not take, that is gone, or whose window closes fails", async () => {
  const p = page();
  p.send.mockRejectedValueOnce(new Error("too many"));
  await expect(p.call("a", {})).rejects.toThrow("too many");
  const gone = p.call("b", {});
  p.show({ request_id: p.id(1), tool: "b", status: "running" });
  p.show(); // after a rewind
  await expect(gone).rejects.toThrow("the call is gone");
  const closing = p.call("c", {});
  p.end();
  await expect(closing).rejects.toThrow("the window is closing");
});
