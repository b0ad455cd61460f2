import { pythonLanguage } from "@codemirror/lang-python";
import { LanguageSupport } from "@codemirror/language";

export const python = new LanguageSupport(pythonLanguage);
