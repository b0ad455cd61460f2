import { memo, useMemo } from "react";
import { piecesOf, type CodeKind } from "./code";

const looks: Record<CodeKind, string | undefined> = {
  plain: undefined,
  comment: "text-soft italic",
  string: "text-add",
  number: "text-ask",
  word: "text-run font-medium",
  added: "bg-add-wash text-add",
  removed: "bg-del-wash text-del",
  head: "text-soft",
};

/** Code with light colours, as text. */
export const CodeText = memo(function CodeText({ code, lang }: { code: string; lang: string }) {
  const pieces = useMemo(() => piecesOf(code, lang), [code, lang]);
  return <>{pieces.map((p, i) => (looks[p.kind] ? <span key={i} className={looks[p.kind]}>{p.text}</span> : p.text))}</>;
});
