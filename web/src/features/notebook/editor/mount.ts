import {
  acceptCompletion,
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
  completionStatus,
  startCompletion,
} from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentLess, indentMore } from "@codemirror/commands";
import { bracketMatching, indentOnInput, indentUnit } from "@codemirror/language";
import {
  Annotation,
  Compartment,
  EditorSelection,
  EditorState,
  Prec,
  Transaction,
  type Extension,
} from "@codemirror/state";
import { EditorView, keymap } from "@codemirror/view";
import { hideInfo, info, showInfo } from "./info";
import { languageFor } from "./languages";
import { colours, look } from "./look";
import { completionsOf, type Kernel } from "./kernel";

export interface EditorProps {
  text: string;
  /** "python", "markdown", or another one, which has no colours. */
  language: string;
  label: string;
  readOnly: boolean;
  /** Where the cursor begins: at a place of the window, or at an end. */
  start: { x: number; y: number } | "start" | "end";
  /** For completion and help; without one there is neither. */
  kernel?: Kernel;
  noInfo: string;
  onChange(text: string): void;
  onBlur(): void;
  onRun(then: "next" | "stay" | "insert"): void;
  onLeave(): void;
  /** The cursor wants out, over an edge. */
  onEdge(by: 1 | -1): void;
}

const fromOutside = Annotation.define<boolean>();
const outside = [fromOutside.of(true), Transaction.addToHistory.of(false)]; // to undo is for what one wrote oneself

/** An editor in the page. It is no component, so that its file needs nothing of the page's. */
export interface Mounted {
  /** Takes what is otherwise now. */
  update(props: EditorProps): void;
  destroy(): void;
}

/** The source of the cell that is being edited. */
export function mount(host: HTMLElement, first: EditorProps): Mounted {
  const now = { current: first };
  const parts = { language: new Compartment(), fixed: new Compartment(), label: new Compartment() };
  const view = new EditorView({
    parent: host,
    state: EditorState.create({ doc: first.text, extensions: extensionsOf(now, parts) }),
  });
  let over = false;
  const setLanguage = (name: string) =>
    void languageFor(name).then(
      (found) => over || now.current.language !== name || view.dispatch({ effects: parts.language.reconfigure(found) }),
      () => {},
    ); // without colours then
  setLanguage(first.language);
  view.focus();
  view.dispatch({ selection: EditorSelection.cursor(placeOf(view, first.start)), scrollIntoView: true });
  return {
    update(props) {
      const before = now.current;
      now.current = props;
      if (props.language !== before.language) setLanguage(props.language);
      const effects = [
        ...(props.readOnly !== before.readOnly ? [parts.fixed.reconfigure(fixed(props.readOnly))] : []),
        ...(props.label !== before.label ? [parts.label.reconfigure(named(props.label))] : []),
      ];
      const changes = changeTo(view.state.doc.toString(), props.text);
      if (changes || effects.length > 0) view.dispatch({ effects, ...(changes && { changes, annotations: outside }) });
    },
    destroy() {
      over = true;
      view.destroy();
    },
  };
}

function extensionsOf(
  now: { readonly current: EditorProps },
  parts: { language: Compartment; fixed: Compartment; label: Compartment },
): Extension[] {
  const p = now.current;
  const kernel = p.kernel;
  return [
    history(),
    indentUnit.of("    "),
    indentOnInput(),
    bracketMatching(),
    closeBrackets(),
    EditorView.lineWrapping,
    kernel ? [autocompletion({ override: [completionsOf(kernel)], activateOnTyping: false, icons: false }), info] : [],
    Prec.high(keymap.of(cellKeys(now))),
    keymap.of([...closeBracketsKeymap, ...completionKeymap, ...historyKeymap, ...defaultKeymap]),
    colours,
    look,
    parts.language.of([]),
    parts.fixed.of(fixed(p.readOnly)),
    parts.label.of(named(p.label)),
    EditorView.updateListener.of((u) => {
      if (u.docChanged && !u.transactions.some((tr) => tr.annotation(fromOutside)))
        now.current.onChange(u.state.doc.toString());
    }),
    EditorView.domEventHandlers({ blur: () => now.current.onBlur() }),
  ];
}

/** The keys of cells, before the editor's own. */
function cellKeys(now: { readonly current: EditorProps }) {
  const run = (then: "next" | "stay" | "insert") => () => {
    now.current.onRun(then);
    return true;
  };
  const edge = (by: 1 | -1) => (view: EditorView) => {
    const { main } = view.state.selection;
    const line = view.state.doc.lineAt(main.head).number;
    if (!main.empty || completionStatus(view.state) !== null || line !== (by === 1 ? view.state.doc.lines : 1))
      return false;
    now.current.onEdge(by);
    return true;
  };
  return [
    { key: "Shift-Enter", run: run("next") },
    { key: "Mod-Enter", run: run("stay") },
    { key: "Alt-Enter", run: run("insert") },
    {
      key: "Escape",
      run: (view: EditorView) => {
        if (hideInfo(view)) return true;
        if (completionStatus(view.state) !== null) return false; // the list goes first
        now.current.onLeave();
        return true;
      },
    },
    { key: "ArrowUp", run: edge(-1) },
    { key: "ArrowDown", run: edge(1) },
    {
      key: "Tab",
      run: (view: EditorView) =>
        acceptCompletion(view) ||
        (now.current.kernel !== undefined && afterWord(view) && startCompletion(view)) ||
        indentMore(view),
    },
    {
      key: "Shift-Tab",
      run: (view: EditorView) =>
        now.current.kernel && !atIndent(view)
          ? showInfo(view, now.current.kernel, now.current.noInfo)
          : indentLess(view),
    },
  ];
}

/** Whether there is something to complete before the cursor. */
function afterWord(view: EditorView): boolean {
  const { main } = view.state.selection;
  return main.empty && /[\w.'"/]/.test(view.state.sliceDoc(Math.max(0, main.head - 1), main.head));
}

function atIndent(view: EditorView): boolean {
  const { main } = view.state.selection;
  return !main.empty || view.state.sliceDoc(view.state.doc.lineAt(main.head).from, main.head).trim() === "";
}

function placeOf(view: EditorView, start: EditorProps["start"]): number {
  if (start === "start") return 0;
  if (start === "end") return view.state.doc.length;
  return view.posAtCoords(start, false);
}

function fixed(readOnly: boolean): Extension {
  return [EditorState.readOnly.of(readOnly), EditorView.contentAttributes.of({ "aria-readonly": String(readOnly) })];
}

function named(label: string): Extension {
  return EditorView.contentAttributes.of({
    "aria-label": label,
    autocapitalize: "off",
    autocorrect: "off",
    spellcheck: "false",
  });
}

/** The smallest change from one text to another, so that a cursor stays where it is. */
export function changeTo(from: string, to: string): { from: number; to: number; insert: string } | null {
  if (from === to) return null;
  const most = Math.min(from.length, to.length);
  let start = 0;
  while (start < most && from[start] === to[start]) start++;
  let end = 0;
  while (end < most - start && from[from.length - 1 - end] === to[to.length - 1 - end]) end++;
  return { from: start, to: from.length - end, insert: to.slice(start, to.length - end) };
}
