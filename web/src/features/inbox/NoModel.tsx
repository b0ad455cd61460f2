import { Cpu } from "lucide-react";
import { useState } from "react";
import { startWords } from "@/features/start/words";
import { useWords } from "@/i18n";
import { lazyPart } from "@/lib/lazyPart";
import { Button } from "@/ui";
import type { Begin } from "./useBegin";

const ConnectModel = lazyPart(() => import("@/features/start/ConnectModel").then((m) => m.ConnectModel));

/** Says on a page that is in use already that no model is there, and connects one. */
export function NoModel({ begin }: { begin: Begin }) {
  const t = useWords(startWords);
  const [open, setOpen] = useState(false);
  return (
    <section aria-label={t.noModel} className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2 rounded border border-ask/40 bg-ask-wash px-3 py-2">
        <Cpu size={16} aria-hidden className="text-ask" />
        <p className="min-w-0 flex-1 basis-48">
          <span className="font-semibold">{t.noModel}.</span> {begin.mayConnect ? t.noModelHelp : t.askAdmin}
        </p>
        {begin.mayConnect && !open && <Button onClick={() => setOpen(true)}>{t.connect}</Button>}
      </div>
      {open && <ConnectModel onDone={begin.setModel} />}
    </section>
  );
}
