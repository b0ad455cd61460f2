import { Play, ShieldCheck } from "lucide-react";
import { useEffect, useState } from "react";
import { useWords } from "@/i18n";
import { Button } from "@/ui";
import { FramePage } from "./FramePage";
import { WindowFoot } from "./WindowBox";
import { windowWords } from "./words";

const look = "<!doctype html><style>html{font:13px/20px system-ui,sans-serif}body{margin:12px}</style>";
const barHeight = 41;
const runHeight = 400;
const scripts = /<script|\son\w+\s*=|javascript:/i;

/**
 * A page that an agent wrote, in an origin of its own that has nothing, under a
 * policy of its own that lets it load nothing. It gets its text and is never
 * listened to, but for its height while it has no scripts. Scripts could still make the browser look for a host, and so carry
 * words away: they run once a person says so, for this very text.
 */
export function Frame({
  html,
  title,
  onHeight,
}: {
  html: string;
  title: string;
  /** How high it is with its scripts off, with the line above it; `runHeight` once they run. */ onHeight?(
    height: number,
  ): void;
}) {
  const t = useWords(windowWords);
  const [allowed, allow] = useState<string | null>(null);
  const run = allowed === html;
  const asks = !run && scripts.test(html);
  useEffect(() => {
    if (run) onHeight?.(runHeight);
  }, [run, onHeight]);
  return (
    <div className="flex size-full flex-col">
      {asks && (
        <div className="flex shrink-0 flex-wrap items-center gap-x-3 border-b border-line px-3 py-1 text-sm text-soft">
          <span className="min-w-0 flex-1">{t.hasScripts}</span>
          <Button look="quiet" icon={<Play size={13} />} className="text-run" onClick={() => allow(html)}>
            {t.runScripts}
          </Button>
        </div>
      )}
      <FramePage
        key={String(run) + html}
        html={look + html}
        run={run}
        title={title}
        onHeight={onHeight && ((h) => onHeight(h + (asks ? barHeight : 0)))}
      />
      {run && (
        <WindowFoot>
          <ShieldCheck size={13} aria-hidden className="shrink-0" />
          <span className="min-w-0 flex-1 truncate">{t.scriptsRun}</span>
          <button
            type="button"
            className="shrink-0 rounded font-medium text-run hover:underline pointer-coarse:min-h-11"
            onClick={() => allow(null)}
          >
            {t.stopScripts}
          </button>
        </WindowFoot>
      )}
    </div>
  );
}
