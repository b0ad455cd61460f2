import type { CellInfo } from "@clew-run/client";
import { useMemo, useRef, type KeyboardEvent } from "react";
import { announce } from "@/app/notices";
import { usePrefs } from "@/app/prefs";
import { useWords } from "@/i18n";
import { isLocked, type Book } from "./book";
import type { CellActs } from "./CellView";
import type { CellFocus } from "./useCellFocus";
import { notebookWords } from "./words";

interface Given {
  book: Book;
  cells: readonly CellInfo[];
  focus: CellFocus;
  mayChange: boolean;
  scrollTo(index: number): void;
}

const twiceMs = 800;
const frames = 60;
/** The keys of a chosen cell. */
const ours = /^(Enter|ArrowDown|ArrowUp|Home|End|[abdjkmy])$/i;

const modified = (e: KeyboardEvent) => e.ctrlKey || e.metaKey || e.altKey;

/** Waits until the focus is in a cell, or a second is over. */
async function focused(id: string): Promise<void> {
  for (
    let left = frames;
    left > 0 && document.activeElement?.closest("[data-cell]")?.getAttribute("data-cell") !== id;
    left--
  ) {
    await new Promise(requestAnimationFrame);
  }
}

/** What cells do: by their buttons and menus, and by keys. They are the same functions for as long as the page is there. */
export function useCellActs(given: Given): CellActs {
  const t = useWords(notebookWords);
  const now = useRef({ ...given, t });
  now.current = { ...given, t };
  return useMemo(() => {
    const placeOf = (id: string) => now.current.cells.findIndex((c) => c.cell_id === id);
    const go = (id: string, by: number): boolean => {
      const to = placeOf(id) + by;
      const next = now.current.cells[to];
      if (!next) return false;
      now.current.scrollTo(to);
      now.current.focus.select(next.cell_id);
      return true;
    };
    let making: { from: string; made: Promise<string | undefined> } | undefined;
    const insert = (id: string, where: "above" | "below", type: "code" | "markdown") => {
      const mine = {
        from: id,
        made: make(id, where, type).finally(() => {
          if (making === mine) making = undefined;
        }),
      };
      making = mine;
    };
    const make = async (
      id: string,
      where: "above" | "below",
      type: "code" | "markdown",
    ): Promise<string | undefined> => {
      const at = placeOf(id);
      const after = where === "below" ? id : (now.current.cells[at - 1]?.cell_id ?? "");
      const made = await now.current.book.insert(after, type);
      if (made === undefined) return undefined;
      announce(now.current.t.inserted);
      if (type === "markdown") now.current.focus.edit(made, "end");
      else now.current.focus.select(made);
      await focused(made);
      return made;
    };
    const acts: CellActs = {
      select: (id) => now.current.focus.select(id, false),
      edit: (id, start) => now.current.focus.edit(id, start),
      leave: (id) => {
        void now.current.book.drafts.flush(id);
        now.current.focus.select(id);
      },
      run: (id, then) => {
        const cell = now.current.cells[placeOf(id)];
        if (!cell || !now.current.mayChange) return;
        if (cell.type !== "code") void now.current.book.drafts.flush(id);
        else if (!isLocked(cell)) void now.current.book.run([id]);
        if (then === "insert" || (then === "next" && placeOf(id) === now.current.cells.length - 1))
          insert(id, "below", "code");
        else if (then === "next") go(id, 1);
        else if (cell.type !== "code" || now.current.focus.editing === undefined) now.current.focus.select(id);
      },
      step: (id, by) => {
        const to = placeOf(id) + by;
        const next = now.current.cells[to];
        if (!next) return;
        now.current.scrollTo(to);
        if (next.type === "markdown") now.current.focus.select(next.cell_id);
        else now.current.focus.edit(next.cell_id, by === 1 ? "start" : "end");
      },
      insert,
      remove: (id) => {
        const at = placeOf(id);
        const cell = now.current.cells[at];
        if (!cell || isLocked(cell)) return;
        if (!go(id, 1)) go(id, -1);
        announce(now.current.t.deleted(at + 1));
        void now.current.book.remove(id);
      },
      keyDown: (e, id) => keyDown(e, id),
    };

    let d = 0; // when it was pressed last
    const letters = (key: string, id: string): boolean => {
      if (!now.current.mayChange || !usePrefs.getState().letterKeys) return false;
      const cell = now.current.cells[placeOf(id)];
      const { book } = now.current;
      switch (key) {
        case "a":
          acts.insert(id, "above", "code");
          break;
        case "b":
          acts.insert(id, "below", "code");
          break;
        case "m":
          if (cell && !isLocked(cell) && cell.type !== "markdown") void book.retype(id, "markdown");
          break;
        case "y":
          if (cell && !isLocked(cell) && cell.type !== "code") void book.retype(id, "code");
          break;
        case "d":
          if (performance.now() - d < twiceMs) acts.remove(id);
          d = performance.now();
          return true;
        default:
          return key === "j" ? go(id, 1) : key === "k" && go(id, -1);
      }
      d = 0;
      return true;
    };
    /** Keys of a cell that is chosen as a whole. Those within its editor are the editor's. */
    const keyDown = (e: KeyboardEvent, id: string) => {
      if (e.target !== e.currentTarget || e.nativeEvent.isComposing) return;
      if (heard(e, id)) e.preventDefault(); // the page's own letters stay out of it
    };
    /** Keys that follow an insert are for the new cell, however fast they come. */
    const heard = (e: KeyboardEvent, id: string): boolean => {
      if (making?.from !== id || !ours.test(e.key) || (e.key !== "Enter" && modified(e))) return done(e, id);
      void making.made.then((made) => heard(e, made ?? id));
      return true;
    };
    const done = (e: KeyboardEvent, id: string): boolean => {
      if (e.key === "Enter") {
        if (e.shiftKey) acts.run(id, "next");
        else if (e.ctrlKey || e.metaKey) acts.run(id, "stay");
        else if (e.altKey) acts.run(id, "insert");
        else if (now.current.mayChange) acts.edit(id, "end");
        return true;
      }
      if (modified(e)) return false;
      switch (e.key) {
        case "ArrowDown":
          return go(id, 1) || true;
        case "ArrowUp":
          return go(id, -1) || true;
        case "Home":
          return go(id, -placeOf(id)) || true;
        case "End":
          return go(id, now.current.cells.length - 1 - placeOf(id)) || true;
      }
      return !e.shiftKey && letters(e.key.toLowerCase(), id);
    };
    return acts;
  }, []);
}
