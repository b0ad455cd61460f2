import { useCallback, useSyncExternalStore } from "react";
import type { Book } from "./book";
import type { Draft } from "./drafts";

/** What somebody wrote into a cell and the server does not have yet. */
export function useDraft(book: Book, cell: string): Draft | undefined {
  return useSyncExternalStore(
    book.drafts.subscribe,
    useCallback(() => book.drafts.get(cell), [book, cell]),
  );
}
