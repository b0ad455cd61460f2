import hljs from "highlight.js/lib/common";
import { coloursOf, type Scope } from "./code_scopes";
import type { Asked, Coloured } from "./code";

self.onmessage = (e: MessageEvent<Asked>) => {
  const { id, code, lang } = e.data;
  let colours = new Uint32Array();
  if (hljs.getLanguage(lang)) {
    const result = hljs.highlight(code, { language: lang, ignoreIllegals: true });
    colours = coloursOf((result._emitter as unknown as { rootNode: Scope }).rootNode) as Uint32Array<ArrayBuffer>;
  }
  (self as unknown as Worker).postMessage({ id, colours } satisfies Coloured, [colours.buffer]);
};
