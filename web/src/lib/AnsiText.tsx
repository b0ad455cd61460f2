import { memo, useMemo } from "react";
import { ansiPieces } from "./ansi";

/** A program's output with its colours, as text. */
export const AnsiText = memo(function AnsiText({ text }: { text: string }) {
  const pieces = useMemo(() => ansiPieces(text), [text]);
  return (
    <>
      {pieces.map((p, i) =>
        p.look ? (
          <span key={i} className={p.look}>
            {p.text}
          </span>
        ) : (
          p.text
        ),
      )}
    </>
  );
});
