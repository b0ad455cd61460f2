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

/** Loads something when the key changes. Answers that come too late are dropped. */
export function useLoaded<T>(key: string, load: (signal: AbortSignal) => Promise<T>): Loaded<T> {
  const [state, setState] = useState<{ key: string; value?: T; error?: unknown; loading: boolean }>({ key, loading: true });
  const [round, setRound] = useState(0);
  const latest = useRef(load);
  latest.current = load;
  useEffect(() => {
    const over = new AbortController();
    setState((s) => ({ ...s, loading: true, ...(s.key === key ? {} : { key, value: undefined, error: undefined }) }));
    latest.current(over.signal).then(
      (value) => !over.signal.aborted && setState({ key, value, loading: false }),
      (error: unknown) => !over.signal.aborted && setState((s) => ({ ...s, error, loading: false })),
    );
    return () => over.abort();
  }, [key, round]);
  const reload = useCallback(() => setRound((r) => r + 1), []);
  const set = useCallback((value: T) => setState((s) => ({ ...s, value, error: undefined })), []);
  return { value: state.value, error: state.error, loading: state.loading, reload, set };
}
