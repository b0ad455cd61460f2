import { useEffect, type RefObject } from "react";
import { useFind, type Hit } from "./find";

/**
 * Marks what was found in the rows on the page. The server says which words matched; the
 * browser paints them, so that no row has to know of it.
 */
export function useHighlights(sessionId: string, box: RefObject<HTMLElement | null>): void {
  const found = useFind((s) => (s.session === sessionId ? s.hits : null));
  const now = useFind((s) => s.hits[s.at]?.message_id);
  useEffect(() => {
    const el = box.current;
    if (!el || !found || found.length === 0 || !("highlights" in CSS)) return;
    const words = pattern(found);
    if (!words) return;
    let frame = 0;
    const paint = () => {
      frame = 0;
      const all: Range[] = [];
      const here: Range[] = [];
      for (const row of el.querySelectorAll<HTMLElement>("article[data-message]"))
        (row.dataset.message === now ? here : all).push(...ranges(row, words));
      CSS.highlights.set("found", new Highlight(...all));
      CSS.highlights.set("found-now", new Highlight(...here));
    };
    const soon = () => (frame ||= requestAnimationFrame(paint));
    paint();
    const watch = new MutationObserver(soon);
    watch.observe(el, { childList: true, subtree: true, characterData: true });
    return () => {
      watch.disconnect();
      cancelAnimationFrame(frame);
      CSS.highlights.delete("found");
      CSS.highlights.delete("found-now");
    };
  }, [found, now, box]);
}

/** What matched, the longest first. A word of letters is found by its beginning; scripts without spaces by any part. */
export function pattern(hits: readonly Pick<Hit, "excerpt">[]): RegExp | null {
  const texts = new Set(
    hits.flatMap((h) => h.excerpt.filter((p) => p.match && p.text.trim() !== "").map((p) => p.text.toLowerCase())),
  );
  if (texts.size === 0) return null;
  const escaped = [...texts].sort((a, b) => b.length - a.length).map((x) => x.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  const anywhere = /^[\p{Script=Hangul}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;
  return new RegExp(escaped.map((x) => (anywhere.test(x) ? x : `(?<![\\p{L}\\p{N}])${x}`)).join("|"), "giu");
}

function ranges(row: HTMLElement, words: RegExp): Range[] {
  const out: Range[] = [];
  const walk = document.createTreeWalker(row, NodeFilter.SHOW_TEXT);
  for (let node = walk.nextNode(); node; node = walk.nextNode()) {
    for (const m of node.nodeValue!.matchAll(words)) {
      const r = document.createRange();
      r.setStart(node, m.index);
      r.setEnd(node, m.index + m[0].length);
      out.push(r);
    }
  }
  return out;
}
