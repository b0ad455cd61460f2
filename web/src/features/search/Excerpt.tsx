import type { SearchHit } from "@clew-run/client";

/** The words around a match, as text; what matched is marked. */
export function Excerpt({ of }: { of: SearchHit["excerpt"] }) {
  return (
    <>
      {of.map((piece, i) =>
        piece.match ? (
          <mark key={i} className="rounded-[2px] bg-found px-px text-inherit">
            {piece.text}
          </mark>
        ) : (
          piece.text
        ),
      )}
    </>
  );
}

/** Where a hit is opened: at its message, with the words that were looked for. */
export function hitPath(session: string, hit: Pick<SearchHit, "message_id">, words: string): string {
  if (!hit.message_id) return `/s/${session}`;
  return `/s/${session}?${new URLSearchParams({ message: hit.message_id, find: words })}`;
}
