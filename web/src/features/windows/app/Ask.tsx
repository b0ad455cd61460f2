import type { WindowContent } from "@clew-run/client";
import { AppWindow, Play } from "lucide-react";
import { useWords } from "@/i18n";
import { Button } from "@/ui";
import { setConsent, type Consent } from "./consent";
import { appWords } from "./words";

/** Before a stranger's program runs: what it may do, and the hosts that it asks for. */
export function Ask({ content, page, label }: { content: WindowContent; page: string; label: string }) {
  const t = useWords(appWords);
  const hosts = [...new Set([...(content.connect ?? []), ...(content.load ?? [])])].sort();
  const choose = (consent: Consent) => () => setConsent(page, consent);
  return (
    <div
      tabIndex={0}
      role="group"
      aria-label={label}
      className="flex size-full overflow-auto outline-offset-[-2px]"
      data-app="asks"
    >
      <div className="m-auto flex max-w-md flex-col items-start gap-2.5 p-5">
        <h3 className="flex items-center gap-2 font-semibold">
          <AppWindow size={16} aria-hidden className="text-soft" />
          {t.runApp}
        </h3>
        <p className="text-soft">{content.kind === "mcp_app" ? t.mcpMay(content.server ?? "") : t.appMay}</p>
        {hosts.length > 0 && (
          <div>
            <p>{t.hosts}</p>
            <ul className="pt-1">
              {hosts.map((h) => (
                <li key={h} data-host className="font-mono text-sm wrap-anywhere">
                  {h}
                </li>
              ))}
            </ul>
          </div>
        )}
        <div className="flex flex-wrap gap-2 pt-1">
          {hosts.length > 0 ? (
            <>
              <Button look="main" icon={<Play size={13} />} onClick={choose("run")}>
                {t.runAlone}
              </Button>
              <Button onClick={choose("network")}>{t.runWithHosts}</Button>
            </>
          ) : (
            <Button look="main" icon={<Play size={13} />} onClick={choose("run")}>
              {t.run}
            </Button>
          )}
        </div>
      </div>
    </div>
  );
}
