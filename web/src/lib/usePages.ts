import { useCallback, useEffect, useRef, useState } from "react";

export interface Pages<T> {
  items: T[];
  error: unknown;
  loading: boolean;
  more: boolean;
  loadMore(): void;
  reload(): void;
  /** Reads what is shown again, quietly: nothing is taken away, and an error changes nothing. */
  refresh(): void;
}

/** A list that comes page by page; it starts over when the key changes. */
export function usePages<T>(
  key: string,
  load: (cursor: string | undefined) => Promise<{ items: T[]; next?: string }>,
): Pages<T> {
  const [state, setState] = useState<{ items: T[]; next?: string; error?: unknown; loading: boolean }>({
    items: [],
    loading: true,
  });
  const latest = useRef(load);
  latest.current = load;
  const turn = useRef(0);

  const read = useCallback((cursor: string | undefined) => {
    const mine = ++turn.current;
    setState((s) => ({ ...s, loading: true, error: undefined }));
    latest.current(cursor).then(
      (page) => {
        if (mine !== turn.current) return;
        setState((s) => ({
          items: cursor ? [...s.items, ...page.items] : page.items,
          next: page.next,
          loading: false,
        }));
      },
      (error: unknown) => {
        if (mine === turn.current) setState((s) => ({ ...s, error, loading: false }));
      },
    );
  }, []);
  useEffect(() => read(undefined), [key, read]);

  const now = useRef(state);
  now.current = state;
  const refresh = useCallback(async () => {
    if (now.current.loading) return;
    const mine = turn.current;
    const wanted = now.current.items.length;
    const items: T[] = [];
    let next: string | undefined;
    do {
      const page = await latest.current(next);
      if (mine !== turn.current) return; // somebody asked for something else
      items.push(...page.items);
      next = page.next;
    } while (next !== undefined && items.length < wanted);
    setState((s) => ({ ...s, items, next, error: undefined }));
  }, []);
  const quietly = useCallback(() => void refresh().catch(() => {}), [refresh]);
  return {
    ...state,
    error: state.error,
    more: state.next !== undefined,
    loadMore: () => state.next !== undefined && read(state.next),
    reload: () => read(undefined),
    refresh: quietly,
  };
}
