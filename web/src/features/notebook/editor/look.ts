import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { EditorView } from "@codemirror/view";
import { tags as t } from "@lezer/highlight";

/** The colours of code, by the same tokens as everywhere. */
export const colours = syntaxHighlighting(
  HighlightStyle.define([
    { tag: [t.keyword, t.operatorKeyword, t.modifier, t.self], color: "var(--c-s-key)" },
    { tag: [t.string, t.special(t.string)], color: "var(--c-s-str)" },
    { tag: [t.number, t.bool, t.null, t.escape], color: "var(--c-s-num)" },
    { tag: [t.comment, t.meta], color: "var(--c-s-com)" },
    {
      tag: [
        t.function(t.variableName),
        t.function(t.propertyName),
        t.function(t.definition(t.variableName)),
        t.definition(t.className),
        t.className,
      ],
      color: "var(--c-s-fn)",
    },
    { tag: t.heading, fontWeight: "600" },
    { tag: t.strong, fontWeight: "600" },
    { tag: t.emphasis, fontStyle: "italic" },
    { tag: [t.link, t.url], color: "var(--c-run)" },
    { tag: [t.processingInstruction, t.monospace], color: "var(--c-s-com)" },
  ]),
);

/** An editor looks as the source around it: nothing moves when one begins to write. */
export const look = EditorView.theme({
  "&": { backgroundColor: "transparent", color: "var(--c-ink)", fontSize: "inherit" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "inherit", lineHeight: "inherit", overflow: "visible" },
  ".cm-content": { padding: "0", caretColor: "var(--c-ink)" },
  ".cm-line": { padding: "0" },
  ".cm-matchingBracket, &.cm-focused .cm-matchingBracket": {
    backgroundColor: "var(--c-hover)",
    outline: "1px solid var(--c-line2)",
  },
  ".cm-tooltip": {
    backgroundColor: "var(--c-sheet)",
    border: "1px solid var(--c-line2)",
    borderRadius: "8px",
    boxShadow: "var(--s-window)",
    overflow: "hidden",
    zIndex: "30",
  },
  ".cm-tooltip.cm-tooltip-autocomplete > ul": {
    fontFamily: "var(--font-mono)",
    fontSize: "12px",
    maxHeight: "240px",
    padding: "4px",
  },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li": { padding: "3px 8px", borderRadius: "4px", color: "var(--c-ink)" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]": {
    backgroundColor: "var(--c-hover)",
    color: "var(--c-ink)",
  },
  ".cm-completionMatchedText": { textDecoration: "none", fontWeight: "600", color: "var(--c-run)" },
  ".cm-info": {
    maxWidth: "min(640px, 80vw)",
    maxHeight: "320px",
    overflow: "auto",
    padding: "8px 12px",
    whiteSpace: "pre-wrap",
    fontFamily: "var(--font-mono)",
    fontSize: "12px",
    lineHeight: "18px",
  },
});
