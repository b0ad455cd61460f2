import { client } from "@/app/client";
import { useLoaded, type Loaded } from "@/lib/useLoaded";
import { isHeld } from "./output";

/** What is longer is cut. */
export const mostText = 5_000_000;

/** A value of an output as text, fetched if it is large. */
export function useText(sessionId: string, value: unknown): Loaded<string> {
  const address = isHeld(value) ? value.blob : "";
  const inline = typeof value === "string" ? value : address === "" ? (JSON.stringify(value, null, 2) ?? "") : "";
  const loaded = useLoaded(address, async () =>
    address === "" ? "" : (await (await client.rest.sessions.blob(sessionId, address)).text()).slice(0, mostText),
  );
  return address === "" ? { ...loaded, value: inline, error: undefined, loading: false } : loaded;
}

/** A value of an output that is JSON. */
export function useJson(sessionId: string, value: unknown): Loaded<unknown> {
  const address = isHeld(value) ? value.blob : "";
  const loaded = useLoaded<unknown>(address, async () =>
    address === "" ? null : ((await (await client.rest.sessions.blob(sessionId, address)).json()) as unknown),
  );
  return address === "" ? { ...loaded, value, error: undefined, loading: false } : loaded;
}
