import { useEffect, useRef, useState } from "react";
import workerUrl from "./code.worker?worker&url";
import type { Colours } from "./code_scopes";
import { startWorker } from "./startWorker";

/*
 * Colours in code come from highlight.js in a worker of its own, so that no
 * text, however long or odd, holds up the page. Until they are there, and where
 * they do not come, code is shown as plain text.
 */
export interface Asked {
  id: number;
  code: string;
  lang: string;
}

export interface Coloured {
  id: number;
  colours: Colours;
}

const none: Colours = new Uint32Array();
const longest = 600_000;
const keptLength = 30_000;
const patienceMs = 5_000; // there are texts that a grammar does not get done with

let worker: Worker | null = null;
let count = 0;
const waiting = new Map<
  number,
  { asked: Asked; done(colours: Colours): void; timer?: ReturnType<typeof setTimeout> }
>();
const known = new Map<string, Colours>(); // so that scrolling back costs nothing

/** The colours of code; none where its language is not known. It never fails. */
export function coloursFor(code: string, lang: string): Promise<Colours> {
  const name = languageOf(lang);
  const key = `${name} ${code}`;
  const found = known.get(key);
  if (found) return Promise.resolve(found);
  if (name === "" || code === "" || code.length > longest || typeof Worker === "undefined")
    return Promise.resolve(none);
  return new Promise((done) => {
    const asked: Asked = { id: ++count, code, lang: name };
    waiting.set(asked.id, {
      asked,
      done: (colours) => {
        if (code.length <= keptLength) known.set(key, colours);
        if (known.size > 200) known.delete(known.keys().next().value!);
        done(colours);
      },
    });
    if (waiting.size === 1) send();
  });
}

/** Hands the oldest to the worker; one at a time, so that the clock is fair. */
function send(): void {
  const next = waiting.values().next().value;
  if (!next) return;
  try {
    worker ??= started();
    worker.postMessage(next.asked);
  } catch {
    settle(next.asked.id, none);
    return;
  }
  next.timer = setTimeout(() => {
    worker?.terminate();
    worker = null;
    settle(next.asked.id, none);
  }, patienceMs);
}

function started(): Worker {
  const w = startWorker(workerUrl);
  w.onmessage = (e: MessageEvent<Coloured>) => settle(e.data.id, e.data.colours);
  w.onerror = () => {
    w.terminate();
    if (worker === w) worker = null;
    const stuck = waiting.keys().next().value;
    if (stuck !== undefined) settle(stuck, none);
  };
  return w;
}

function settle(id: number, colours: Colours): void {
  const one = waiting.get(id);
  if (!one) return;
  clearTimeout(one.timer);
  waiting.delete(id);
  one.done(colours);
  send();
}

/** The colours of a text that may be growing: what was coloured stays so until there is more. */
export function useColours(code: string, lang: string): Colours | null {
  const [shown, setShown] = useState<{ code: string; lang: string; colours: Colours } | null>(null);
  const latest = useRef({ code, lang });
  latest.current = { code, lang };
  const busy = useRef(false);
  const here = useRef(true);
  useEffect(() => {
    here.current = true;
    return () => void (here.current = false);
  }, []);
  useEffect(() => {
    const ask = async () => {
      busy.current = true;
      const wanted = latest.current;
      const colours = await coloursFor(wanted.code, wanted.lang);
      busy.current = false;
      if (!here.current) return;
      if (colours !== none) setShown({ ...wanted, colours });
      if (latest.current.code !== wanted.code || latest.current.lang !== wanted.lang) void ask();
    };
    if (!busy.current) void ask();
  }, [code, lang]);
  return shown && shown.lang === lang && code.startsWith(shown.code) ? shown.colours : null;
}

// What people and files call languages, where highlight.js has another name.
const names: Record<string, string> = {
  "": "",
  txt: "",
  text: "",
  console: "shell",
  zsh: "bash",
  fish: "bash",
  dockerfile: "bash",
  env: "ini",
  conf: "ini",
  tf: "ini",
  jsonc: "json",
  mod: "go",
  sum: "",
  vue: "xml",
  svelte: "xml",
  zig: "rust",
  scala: "kotlin",
  dart: "java",
  proto: "c",
};

function languageOf(lang: string): string {
  return names[lang] ?? lang;
}

/** The language of a file, by its name. */
export function languageOfPath(path: string): string {
  const name = path.split("/").at(-1)!.toLowerCase();
  if (/^(makefile|dockerfile|gemfile|rakefile)$/.test(name))
    return name === "makefile" ? "makefile" : name === "dockerfile" ? "bash" : "ruby";
  return name.includes(".") ? languageOf(name.split(".").at(-1)!) : "";
}
