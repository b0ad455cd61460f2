import { ExternalLink } from "lucide-react";
import { useState, type MouseEvent, type ReactNode } from "react";
import { useWords } from "@/i18n";
import { safeLink } from "@/lib/markdown_render";
import { Button, Dialog } from "@/ui";
import { windowWords } from "../words";

/** Links in it open only after a question that shows where they lead: an agent wrote them. */
export function Links({ children }: { children: ReactNode }) {
  const t = useWords(windowWords);
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
  const open = () => {
    ask(null);
    window.open(asked!.href, "_blank", "noopener,noreferrer");
  };
  return (
    <div className="size-full" onClickCapture={hold} onAuxClickCapture={hold}>
      {children}
      <Dialog open={asked !== null} onClose={() => ask(null)} title={t.openLink} footer={<><Button onClick={() => ask(null)}>{t.cancel}</Button><Button look="main" icon={<ExternalLink size={14} />} onClick={open}>{t.openIt}</Button></>}>
        {asked && (
          <>
            <p className="text-2xl font-semibold wrap-anywhere" data-host>{asked.host || asked.href}</p>
            <p className="pt-1 text-sm text-soft wrap-anywhere">{asked.href}</p>
          </>
        )}
      </Dialog>
    </div>
  );
}
