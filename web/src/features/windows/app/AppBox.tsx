import { RotateCw, ShieldCheck } from "lucide-react";
import { useEffect, useRef, useState, type RefObject } from "react";
import { useWords } from "@/i18n";
import { Button } from "@/ui";
import { useMayChange } from "../desk";
import { FramePage } from "../FramePage";
import { WindowFoot } from "../WindowBox";
import type { Run } from "./AppWindow";
import { hostsOf, setConsent } from "./consent";
import { useSurroundings } from "./surroundings";
import { appWords } from "./words";

const patienceMs = 5_000;
const link = "ml-2 shrink-0 rounded font-medium text-run hover:underline pointer-coarse:min-h-11";

interface Props extends Run {
  frame: RefObject<HTMLIFrameElement | null>;
  /** Whether the app said that it is ready. */
  ready: boolean;
  onBegin?(view: Window): void;
  onWritten?(view: Window): void;
  onStopped(): void;
}

/** The frame of an app, with a line below that says how it is and stops it. */
export function AppBox({
  session,
  window: w,
  label,
  page,
  html,
  network,
  again,
  frame,
  ready,
  onBegin,
  onWritten,
  onStopped,
}: Props) {
  const t = useWords(appWords);
  const mayChange = useMayChange(session);
  const { theme } = useSurroundings();
  const after = useRef<HTMLButtonElement>(null);
  const silent = useLate(ready);
  const hosts = network
    ? [...new Set([...(w.content!.connect ?? []), ...(w.content!.load ?? [])])].map((h) => h.replace(/^\w+:\/\//, ""))
    : [];
  const state = ready ? (hosts.length > 0 ? t.network(hosts.join(", ")) : t.alone) : silent ? t.silent : t.starting;
  return (
    <div className="relative flex size-full flex-col" data-app={ready ? "ready" : silent ? "silent" : "starting"}>
      <button
        type="button"
        onClick={() => after.current?.focus()}
        className="sr-only focus:not-sr-only focus:absolute focus:top-2 focus:left-2 focus:z-10 focus:rounded focus:bg-sheet focus:px-3 focus:py-1.5 focus:shadow-raised"
      >
        {t.skip}
      </button>
      <FramePage
        html={html}
        run
        hosts={network ? hostsOf(w.content!) : ""}
        title={label}
        scheme={theme}
        frame={frame}
        onBegin={onBegin}
        onWritten={onWritten}
        onStopped={onStopped}
        again={
          <Button icon={<RotateCw size={13} />} onClick={again}>
            {t.reload}
          </Button>
        }
      />
      {!mayChange && (
        <p className="shrink-0 border-t border-line bg-paper px-3 py-1.5 text-sm text-soft">{t.onlyOwner}</p>
      )}
      <WindowFoot>
        <ShieldCheck size={13} aria-hidden className="shrink-0" />
        <span role="status" className="min-w-0 flex-1 truncate" title={state}>
          {state}
        </span>
        <button ref={after} type="button" className={link} onClick={again}>
          {t.reload}
        </button>
        <button type="button" className={link} onClick={() => setConsent(page, undefined)}>
          {t.stop}
        </button>
      </WindowFoot>
    </div>
  );
}

/** Whether an app took longer than people like to wait. */
function useLate(ready: boolean): boolean {
  const [late, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), patienceMs);
    return () => clearTimeout(timer);
  }, []);
  return late && !ready;
}

/** Whether the person is in the frame: it has the focus, which it could take, and they pressed something just now, which it could not. */
export function inFrame(frame: HTMLIFrameElement | null): boolean {
  return (
    frame !== null &&
    document.hasFocus() &&
    document.activeElement === frame &&
    navigator.userActivation?.isActive !== false
  );
}
