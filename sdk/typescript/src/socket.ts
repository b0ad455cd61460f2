/** What this package needs of a WebSocket: the part that all of them have. */
export interface SocketLike {
  readonly readyState: number;
  readonly bufferedAmount?: number;
  send(data: string): void;
  close(code?: number, reason?: string): void;
  onopen: ((event: never) => void) | null;
  onmessage: ((event: never) => void) | null;
  onclose: ((event: never) => void) | null;
  onerror: ((event: never) => void) | null;
  terminate?(): void;
}

export type SocketClass = new (url: string) => SocketLike;

/** Finds a WebSocket: the given one, the platform's, or that of the package `ws`. */
export async function findSocketClass(given: SocketClass | undefined): Promise<SocketClass> {
  const own = given ?? (globalThis as { WebSocket?: SocketClass }).WebSocket;
  if (own) return own;
  const name = "ws"; // not a constant import: bundlers for browsers must not look for it
  const found = (await import(/* @vite-ignore */ /* webpackIgnore: true */ name)) as { WebSocket: SocketClass };
  return found.WebSocket;
}
