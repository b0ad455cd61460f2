import type { Session, WindowState } from "@clew-run/client";
import { useState } from "react";
import { useWords } from "@/i18n";
import { imageUrl } from "@/features/session/transcript/Images";
import { NotDrawn, reportFailed } from "../Attempt";
import { windowWords } from "../words";

/** An image of the session, as large as the window lets it be. */
export function ImageView({ session, window: w, label }: { session: Session; window: WindowState; label: string }) {
  const t = useWords(windowWords);
  const [failed, setFailed] = useState(false);
  const url = imageUrl(session.id, w.content?.blob ?? "");
  if (!url) throw new Error(t.noImage);
  if (failed) return <NotDrawn error={new Error(t.noImage)} retry={() => setFailed(false)} />;
  const onError = () => {
    setFailed(true);
    reportFailed(session, w, "the image cannot be loaded");
  };
  return (
    <div
      tabIndex={0}
      role="group"
      aria-label={label}
      className="flex size-full items-center justify-center overflow-auto bg-well p-2 outline-offset-[-2px]"
    >
      <img
        src={url}
        alt={w.content?.alt || t.image}
        onError={onError}
        className="max-h-full max-w-full rounded-sm object-contain"
      />
    </div>
  );
}
