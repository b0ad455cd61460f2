import { StateEffect, StateField, type Extension } from "@codemirror/state";
import { EditorView, showTooltip, type Tooltip } from "@codemirror/view";
import { characters, type Kernel } from "./kernel";

const set = StateEffect.define<Tooltip | null>();

/** What the kernel says of the word at the cursor, in a box that goes with the next change. */
const shown = StateField.define<Tooltip | null>({
  create: () => null,
  update(now, tr) {
    for (const e of tr.effects) if (e.is(set)) return e.value;
    return tr.docChanged || tr.selection ? null : now;
  },
  provide: (field) => showTooltip.from(field),
});

export const info: Extension = shown;

/** Asks the kernel and shows its answer. */
export function showInfo(view: EditorView, kernel: Kernel, none: string): boolean {
  const pos = view.state.selection.main.head;
  const code = view.state.doc.toString();
  kernel.inspect(code, characters(code, pos)).then(
    ({ found, text }) => {
      if (view.state.doc.toString() === code) view.dispatch({ effects: set.of(tooltip(pos, found ? text : none)) });
    },
    () => view.dispatch({ effects: set.of(tooltip(Math.min(pos, view.state.doc.length), none)) }),
  );
  return true;
}

/** Takes the box away; false if there was none. */
export function hideInfo(view: EditorView): boolean {
  if (!view.state.field(shown, false)) return false;
  view.dispatch({ effects: set.of(null) });
  return true;
}

function tooltip(pos: number, text: string): Tooltip {
  return {
    pos,
    above: false,
    create: () => {
      const dom = document.createElement("div");
      dom.className = "cm-info";
      dom.role = "status";
      dom.textContent = text;
      return { dom };
    },
  };
}
