/** What a browser tells about the network and the page. Elsewhere nothing happens. */
export interface Surroundings {
  /** The browser says that there is no network. It may be wrong about a server on the same machine. */
  offline(): boolean;
  /** Calls on each hint; returns how to stop. */
  watch(on: { online(): void; offline(): void; visible(): void }): () => void;
}

type Target = Pick<EventTarget, "addEventListener" | "removeEventListener">;

export function browserSurroundings(): Surroundings {
  const g = globalThis as {
    window?: Target;
    document?: Target & { visibilityState: string };
    navigator?: { onLine?: boolean };
  };
  const { window: win, document: doc } = g;
  return {
    offline: () => win !== undefined && g.navigator?.onLine === false,
    watch(on) {
      if (!win?.addEventListener) return () => {};
      const visible = (): void => {
        if (doc?.visibilityState === "visible") on.visible();
      };
      const pairs: [Target | undefined, string, () => void][] = [
        [win, "online", on.online],
        [win, "offline", on.offline],
        [win, "pageshow", on.visible],
        [doc, "visibilitychange", visible],
      ];
      for (const [target, name, fn] of pairs) target?.addEventListener(name, fn);
      return () => {
        for (const [target, name, fn] of pairs) target?.removeEventListener(name, fn);
      };
    },
  };
}
