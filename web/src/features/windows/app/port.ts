import type { AppRequest } from "@clew-run/client";
import { Allowance } from "./allowance";
import { isObject, tooLarge } from "./message";
import { soon } from "./soon";

/*
 * How the page of an app speaks with clew: over a port that it is handed when it is
 * loaded. Whoever has no port is not listened to.
 *
 *   app → clew   {type: "ready", app, queries, commands}
 *                {type: "answer", id, result} or {type: "answer", id, error}
 *                {type: "event", action, data, parallel}
 *   clew → app   {type: "query" or "command", id, name, params}
 */

/** What the app may do. All of it goes to the server, which checks it. */
export interface PortHost {
  ready(app: { app?: string; queries?: string[]; commands?: string[] }): void;
  answer(id: string, answer: { result?: unknown; error?: string }): void;
  event(action: string, data: Record<string, unknown>, parallel: boolean): void;
  /** Whether the person is in the frame: only then, or if they are in a moment, may it act for them. */
  hasFocus(): boolean;
}

export interface AppPort {
  /** Passes on what agents want; what was passed on before is left out. */
  ask(requests: readonly AppRequest[]): void;
  close(): void;
}

/** Hands a page its port. */
export function connectPort(view: Window, host: PortHost, allowance = new Allowance()): AppPort {
  const { port1: ours, port2: theirs } = new MessageChannel();
  const asked = new Map<string, boolean>(); // whether it was answered
  const personIn = soon(host.hasFocus);
  let ready = false;
  let waiting: readonly AppRequest[] = [];

  const flush = () => {
    if (!ready) return;
    for (const r of waiting) {
      if (asked.has(r.request_id)) continue;
      asked.set(r.request_id, false);
      ours.postMessage({ type: r.kind, id: r.request_id, name: r.name, params: r.params ?? {} });
    }
  };
  ours.onmessage = (e: MessageEvent<unknown>) => {
    const m = e.data;
    if (!isObject(m) || tooLarge(m)) return;
    if (m.type === "ready") {
      ready = true;
      host.ready({
        ...(typeof m.app === "string" ? { app: m.app } : {}),
        ...(isNames(m.queries) ? { queries: m.queries } : {}),
        ...(isNames(m.commands) ? { commands: m.commands } : {}),
      });
      flush();
    } else if (m.type === "answer" && typeof m.id === "string" && asked.get(m.id) === false) {
      asked.set(m.id, true);
      host.answer(m.id, typeof m.error === "string" ? { error: m.error } : { result: m.result ?? null });
    } else if (m.type === "event" && typeof m.action === "string") {
      const { action } = m,
        data = isObject(m.data) ? m.data : {},
        parallel = m.parallel === true;
      void personIn.ask().then((is) => is && allowance.take(Date.now()) && host.event(action, data, parallel));
    }
  };
  view.postMessage({ clew: "port" }, "*", [theirs]); // its origin has no name
  return {
    ask(requests) {
      waiting = requests;
      flush();
    },
    close() {
      personIn.close();
      ours.close();
    },
  };
}

function isNames(x: unknown): x is string[] {
  return Array.isArray(x) && x.every((n) => typeof n === "string");
}
