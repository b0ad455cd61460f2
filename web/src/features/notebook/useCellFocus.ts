import type { CellInfo } from "@clew-run/client";
import { useCallback, useEffect, useMemo, useRef, useState, type RefObject } from "react";
import type { Start } from "./Source";

/** Which cell is chosen, and whether somebody writes in it. */
export interface CellFocus {
  active: string | null;
  /** Where the cursor began; undefined while keys are for the cell as a whole. */
  editing: Start | undefined;
  select(id: string, focus?: boolean): void;
  edit(id: string, start: Start): void;
}

const tries = 20;

export function useCellFocus(
  notebook: string,
  cells: readonly CellInfo[],
  box: RefObject<HTMLDivElement | null>,
): CellFocus {
  const [now, setNow] = useState<{ of: string; active: string | null; editing?: Start }>({
    of: notebook,
    active: null,
  });
  const wanted = useRef<string | null>(null);
  const first = cells[0]?.cell_id ?? null;
  const known = now.of === notebook && cells.some((c) => c.cell_id === now.active);
  const active = known ? now.active : first;
  const editing = known ? now.editing : undefined;

  // A cell that is far away, or was just made, is there some frames later.
  const bring = useCallback(
    (id: string) => {
      wanted.current = id;
      let left = tries;
      const look = () => {
        if (wanted.current !== id) return;
        const el = box.current?.querySelector<HTMLElement>(`[data-cell="${CSS.escape(id)}"]`);
        if (el) {
          wanted.current = null;
          el.focus({ preventScroll: true });
        } else if (--left > 0) requestAnimationFrame(look);
      };
      requestAnimationFrame(look);
    },
    [box],
  );
  useEffect(() => () => void (wanted.current = null), []);

  const select = useCallback(
    (id: string, focus = true) => {
      setNow((was) =>
        was.active === id && was.editing === undefined && was.of === notebook ? was : { of: notebook, active: id },
      );
      if (focus) bring(id);
    },
    [bring, notebook],
  );
  const edit = useCallback(
    (id: string, start: Start) => {
      wanted.current = null;
      setNow({ of: notebook, active: id, editing: start });
    },
    [notebook],
  );
  return useMemo(() => ({ active, editing, select, edit }), [active, editing, select, edit]);
}
