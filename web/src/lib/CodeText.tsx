import { memo, useMemo } from "react";
import { cx } from "@/ui/cx";
import { useColours } from "./code";
import { piecesOf, type CodeKind, type CodePiece } from "./code_scopes";

const looks: Record<CodeKind, string> = {
  key: "text-s-key",
  str: "text-s-str",
  num: "text-s-num",
  com: "text-s-com",
  fn: "text-s-fn",
  add: "bg-add-wash text-add",
  del: "bg-del-wash text-del",
};

/** Longer code stays plain: it would be too many elements at once. */
const longest = 30_000;

/** Code with colours, as text. */
export const CodeText = memo(function CodeText({ code, lang }: { code: string; lang: string }) {
  const colours = useColours(code, code.length > longest ? "" : lang);
  const pieces = useMemo(() => piecesOf(code, colours), [code, colours]);
  return <CodePieces pieces={pieces} />;
});

/** Pieces of code; `marked` is how those look that are marked. */
export function CodePieces({ pieces, marked }: { pieces: readonly CodePiece[]; marked?: string }) {
  return pieces.map((p, i) => {
    const look = p.kind && looks[p.kind];
    if (p.marked)
      return (
        <mark key={i} className={cx("rounded-[2px] text-ink", marked, look)}>
          {p.text}
        </mark>
      );
    return look ? (
      <span key={i} className={look}>
        {p.text}
      </span>
    ) : (
      p.text
    );
  });
}
