import type { Session } from "@clew-run/client";
import { useEffect, useMemo, useState } from "react";
import { imageUrl } from "@/features/session/transcript/Images";
import { useWords } from "@/i18n";
import { Dialog, Loading } from "@/ui";
import { notebookWords } from "../words";
import { imageData } from "./choose";
import { isHeld } from "./output";
import { useText } from "./value";

/** A picture. A press shows it large. It has a light ground in both themes, since most are drawn for one. */
function Picture({ url, n }: { url: string; n: number }) {
  const t = useWords(notebookWords);
  const [open, setOpen] = useState(false);
  const [failed, setFailed] = useState(false);
  if (failed) return <p className="text-sm text-soft">{t.loadFailed}</p>;
  return (
    <div className="overflow-hidden rounded-lg border border-line bg-sheet p-2" data-output="image">
      <button type="button" aria-label={t.enlarge} onClick={() => setOpen(true)} className="block rounded">
        <img src={url} alt={t.plot(n)} onError={() => setFailed(true)} className="nb-picture" />
      </button>
      <Dialog open={open} onClose={() => setOpen(false)} title={t.plot(n)} wide>
        {open && <img src={url} alt={t.plot(n)} className="nb-picture mx-auto" />}
      </Dialog>
    </div>
  );
}

export function ImageOutput({
  session,
  type,
  value,
  n,
}: {
  session: Session;
  type: string;
  value: unknown;
  n: number;
}) {
  const t = useWords(notebookWords);
  const url = useMemo(
    () =>
      isHeld(value) ? imageUrl(session.id, value.blob) : typeof value === "string" ? imageData(type, value) : null,
    [session.id, type, value],
  );
  return url ? <Picture url={url} n={n} /> : <p className="text-sm text-soft">{t.loadFailed}</p>;
}

/** A drawing, as an image: its scripts do not run and it loads nothing. */
export function SvgOutput({ session, value, n }: { session: Session; value: unknown; n: number }) {
  const t = useWords(notebookWords);
  const text = useText(session.id, value);
  const [url, setUrl] = useState<string | null>(null);
  useEffect(() => {
    if (text.value === undefined) return;
    const made = URL.createObjectURL(new Blob([text.value], { type: "image/svg+xml" }));
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [text.value]);
  if (text.error !== undefined) return <p className="text-sm text-soft">{t.loadFailed}</p>;
  return url ? <Picture url={url} n={n} /> : <Loading />;
}
