import { useState } from "react";
import { useWords } from "@/i18n";
import { Dialog } from "@/ui";
import { transcriptWords } from "./words";

const shownHere = /^(?:data:image\/(?:png|jpeg|gif|webp|avif);base64,|\/api\/v1\/sessions\/[\w-]+\/blobs\/)/i;

/** An address of an image of the session: as it is, or the blob it names. */
export function imageUrl(sessionId: string, image: string): string | null {
  if (shownHere.test(image)) return image;
  if (/^[\w:.-]{8,200}$/.test(image))
    return `/api/v1/sessions/${encodeURIComponent(sessionId)}/blobs/${encodeURIComponent(image)}`;
  return null; // images from elsewhere are not fetched
}

/** Small images; a click shows one large. */
export function Images({ sessionId, images, alt }: { sessionId: string; images: readonly string[]; alt?: string }) {
  const t = useWords(transcriptWords);
  const [open, setOpen] = useState<number | null>(null);
  const urls = images.map((i) => imageUrl(sessionId, i)).filter((u) => u !== null);
  if (urls.length === 0) return null;
  const name = (i: number) => (alt ? `${alt} ${i + 1}` : t.image(i + 1));
  return (
    <div className="flex flex-wrap gap-2 pt-1.5">
      {urls.map((url, i) => (
        <button
          key={i}
          type="button"
          aria-label={t.enlarge(i + 1)}
          onClick={() => setOpen(i)}
          className="overflow-hidden rounded border border-line"
        >
          <img src={url} alt={name(i)} loading="lazy" className="h-24 max-w-48 object-cover" />
        </button>
      ))}
      <Dialog open={open !== null} onClose={() => setOpen(null)} title={open === null ? "" : name(open)} wide>
        {open !== null && <img src={urls[open]} alt={name(open)} className="mx-auto max-h-[70dvh] max-w-full" />}
      </Dialog>
    </div>
  );
}
