import type { CompletionContext, CompletionResult, CompletionSource } from "@codemirror/autocomplete";

/** What a kernel knows about code. Places in code are counted in characters, as kernels do. */
export interface Kernel {
  complete(code: string, cursor: number): Promise<{ matches: string[]; start: number; end: number }>;
  inspect(code: string, cursor: number): Promise<{ found: boolean; text: string }>;
}

/** How many characters stand before a place of a text; some take two places. */
export function characters(text: string, place: number): number {
  return [...text.slice(0, place)].length;
}

/** The place of a text with so many characters before it. */
export function placeAfter(text: string, count: number): number {
  let place = 0;
  for (const c of text) {
    if (count-- <= 0) break;
    place += c.length;
  }
  return place;
}

const most = 300;

/** Completions by the kernel, asked for by a key. */
export function completionsOf(kernel: Kernel): CompletionSource {
  return async (context: CompletionContext): Promise<CompletionResult | null> => {
    const code = context.state.doc.toString();
    try {
      const { matches, start, end } = await kernel.complete(code, characters(code, context.pos));
      if (context.aborted || matches.length === 0) return null;
      const from = placeAfter(code, start);
      return {
        from,
        to: Math.max(context.pos, placeAfter(code, end)),
        options: matches.slice(0, most).map((label) => ({ label })),
        validFor: /^[\w.]*$/,
      };
    } catch {
      return null; // there may be no kernel yet: then there is nothing to offer
    }
  };
}
