import { useCallback, useEffect, useRef, useState } from "react";

export interface Pages<T> {
  items: T[];
  error: unknown;
  loading: boolean;
  more: boolean;
  loadMore(): void;
  reload(): void;
}

/** A list that comes page by page; it starts over when the key changes. */
export function usePages<T>(key: string, load: (cursor: string | undefined) => Promise<{ items: T[]; next?: string }>): Pages<T> {
  const [state, setState] = useState<{ items: T[]; next?: string; error?: unknown; loading: boolean }>({ items: [], loading: true });
  const latest = useRef(load);
  latest.current = load;
  const turn = useRef(0);

  const read = useCallback((cursor: string | undefined) => {
    const mine = ++turn.current;
    setState((s) => ({ ...s, loading: true, error: undefined }));
    latest.current(cursor).then(
      (page) => {
        if (mine !== turn.current) return;
        setState((s) => ({ items: cursor ? [...s.items, ...page.items] : page.items, next: page.next, loading: false }));
      },
      (error: unknown) => {
        if (mine === turn.current) setState((s) => ({ ...s, error, loading: false }));
      },
    );
  }, []);
  useEffect(() => read(undefined), [key, read]);
  return {
    ...state,
    error: state.error,
    more: state.next !== undefined,
    loadMore: () => state.next !== undefined && read(state.next),
    reload: () => read(undefined),
  };
}
