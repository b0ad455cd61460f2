import { ExternalLink } from "lucide-react";
import { useState, type MouseEvent, type ReactNode } from "react";
import { useWords } from "@/i18n";
import { safeLink } from "@/lib/markdown_render";
import { Button, Dialog } from "@/ui";
import { windowWords } from "../words";

/** Links in it open only after a question that shows where they lead: an agent wrote them. */
export function Links({ children }: { children: ReactNode }) {
  const [asked, ask] = useState<URL | null>(null);
  const hold = (e: MouseEvent) => {
    const a = e.target instanceof Element ? e.target.closest("a[href]") : null;
    const href = a?.getAttribute("href");
    if (!a || !href || e.button > 1) return;
    e.preventDefault();
    e.stopPropagation();
    const url = safeLink(href);
    if (url) ask(new URL(url, location.href));
  };
  return (
    <div className="size-full" onClickCapture={hold} onAuxClickCapture={hold}>
      {children}
      <LinkQuestion url={asked} answer={() => ask(null)} />
    </div>
  );
}

/** The question whether to open a link, with its host in large letters. An answer of true has opened it. */
export function LinkQuestion({ url, answer }: { url: URL | null; answer(open: boolean): void }) {
  const t = useWords(windowWords);
  const open = () => {
    window.open(url!.href, "_blank", "noopener,noreferrer");
    answer(true);
  };
  return (
    <Dialog
      open={url !== null}
      onClose={() => answer(false)}
      title={t.openLink}
      footer={
        <>
          <Button onClick={() => answer(false)}>{t.cancel}</Button>
          <Button look="main" icon={<ExternalLink size={14} />} onClick={open}>
            {t.openIt}
          </Button>
        </>
      }
    >
      {url && (
        <>
          <p className="text-2xl font-semibold wrap-anywhere" data-host>
            {url.host || url.href}
          </p>
          <p className="pt-1 text-sm text-soft wrap-anywhere">{url.href}</p>
        </>
      )}
    </Dialog>
  );
}
