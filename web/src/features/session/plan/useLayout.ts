import type { Todo } from "@clew-run/client";
import { useEffect, useMemo, useState } from "react";
import { startWorker } from "@/lib/startWorker";
import type { Box, Shape } from "./layout";
import { shapeOf } from "./shape";
import workerUrl from "./layout.worker?worker&url";

/** Where each step stands. It is worked out elsewhere, so that a large plan does not hold up the page. */
export function useLayout(todos: readonly Todo[]): Box[] | null {
  const [boxes, setBoxes] = useState<Box[] | null>(null);
  // Progress does not move anything: only steps and what they wait for count.
  const spelled = JSON.stringify(shapeOf(todos));
  const shape = useMemo(() => JSON.parse(spelled) as Shape, [spelled]);
  useEffect(() => {
    const worker = startWorker(workerUrl);
    worker.onmessage = (e: MessageEvent<Box[]>) => {
      setBoxes(e.data);
      worker.terminate();
    };
    worker.postMessage(shape);
    return () => worker.terminate();
  }, [shape]);
  return boxes;
}
