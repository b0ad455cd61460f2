import type { Todo } from "@clew-run/client";
import { useEffect, useMemo, useState } from "react";
import type { Box, Shape } from "./layout";
import { shapeOf } from "./shape";
import workerUrl from "./layout.worker?worker&url";

interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL(url: string): string }): { createScriptURL(url: string): unknown };
}

/** Starts the worker. Browsers with Trusted Types want its address to come from a policy. */
function startWorker(): Worker {
  const types = (globalThis as { trustedTypes?: TrustedTypes }).trustedTypes;
  const url = types?.createPolicy("clew", { createScriptURL: (u) => u }).createScriptURL(workerUrl) ?? workerUrl;
  return new Worker(url as string, { type: "module" });
}

/** Where each step stands. It is worked out elsewhere, so that a large plan does not hold up the page. */
export function useLayout(todos: readonly Todo[]): Box[] | null {
  const [boxes, setBoxes] = useState<Box[] | null>(null);
  // Progress does not move anything: only steps and what they wait for count.
  const spelled = JSON.stringify(shapeOf(todos));
  const shape = useMemo(() => JSON.parse(spelled) as Shape, [spelled]);
  useEffect(() => {
    const worker = startWorker();
    worker.onmessage = (e: MessageEvent<Box[]>) => {
      setBoxes(e.data);
      worker.terminate();
    };
    worker.postMessage(shape);
    return () => worker.terminate();
  }, [shape]);
  return boxes;
}
