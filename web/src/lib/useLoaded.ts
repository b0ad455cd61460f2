import { useCallback, useEffect, useRef, useState } from "react";

export interface Loaded<T> {
  value: T | undefined;
  error: unknown;
  loading: boolean;
  /** Loads again; what is shown stays until the new value is there. */
  reload(): void;
  /** Puts a value in place, after a change that the server confirmed. */
  set(value: T): void;
}

/**
 * Loads something when the key changes. Answers that come too late are dropped. What was there goes
 * then, unless it is named what it is of: as long as that is the same, it stays until the next is there.
 */
export function useLoaded<T>(key: string, load: (signal: AbortSignal) => Promise<T>, of?: string): Loaded<T> {
  const [state, setState] = useState<{ key: string; of?: string; value?: T; error?: unknown; loading: boolean }>({
    key,
    of,
    loading: true,
  });
  const [round, setRound] = useState(0);
  const latest = useRef(load);
  latest.current = load;
  useEffect(() => {
    const over = new AbortController();
    setState((s) => ({
      ...s,
      loading: true,
      ...(s.key === key && s.of === of
        ? {}
        : { key, of, value: of !== undefined && s.of === of ? s.value : undefined, error: undefined }),
    }));
    latest.current(over.signal).then(
      (value) => !over.signal.aborted && setState({ key, of, value, loading: false }),
      (error: unknown) => !over.signal.aborted && setState((s) => ({ ...s, error, loading: false })),
    );
    return () => over.abort();
  }, [key, of, round]);
  const reload = useCallback(() => setRound((r) => r + 1), []);
  const set = useCallback((value: T) => setState((s) => ({ ...s, value, error: undefined })), []);
  if (state.of !== of) return { value: undefined, error: undefined, loading: true, reload, set };
  return { value: state.value, error: state.error, loading: state.loading, reload, set };
}
