import { useMemo } from "react";
import { qrMatrix } from "./qr";

/** A text to be read by a camera: dark on light in every theme, since some cameras want that. */
export function QrCode({ text, label }: { text: string; label: string }) {
  const { size, path } = useMemo(() => {
    const rows = qrMatrix(text);
    return {
      size: rows.length + 8,
      path: rows.flatMap((row, y) => row.map((dark, x) => (dark ? `M${x + 4} ${y + 4}h1v1h-1z` : ""))).join(""),
    };
  }, [text]);
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${size} ${size}`}
      shapeRendering="crispEdges"
      className="mx-auto w-56 max-w-full rounded"
      data-qr={size - 8}
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  );
}
