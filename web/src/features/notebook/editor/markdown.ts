import { defineLanguageFacet, Language } from "@codemirror/language";
import { parser } from "@lezer/markdown";

/** Markdown alone: CodeMirror's own package brings HTML, CSS and JavaScript with it. */
export const markdown = new Language(defineLanguageFacet({}), parser, [], "markdown");
