import { useCallback, useEffect, useRef, useState, type ReactNode, type RefObject } from "react";
import { useWords } from "@/i18n";
import { useKeptFocus } from "./useKeptFocus";
import { windowWords } from "./words";

interface Props {
  html: string;
  /** Whether its scripts run. */
  run: boolean;
  /** The hosts that a person let it reach, as its address has them: "&connect=…&load=…". */
  hosts?: string;
  title: string;
  /** What the page may take for its colours. One that does not care is light. */
  scheme?: "light" | "dark";
  frame?: RefObject<HTMLIFrameElement | null>;
  /** Before the page is there: what it says from then on can be heard. */
  onBegin?(view: Window): void;
  /** The page is there, with its scripts loaded. */
  onWritten?(view: Window): void;
  /** How high a page without scripts is. One with scripts could say anything and is not asked. */
  onHeight?(height: number): void;
  /** It was stopped: it led its frame elsewhere, or kept taking the keyboard. */
  onStopped?(): void;
  /** Below the note that it was stopped. */
  again?: ReactNode;
}

/**
 * A stranger's page in an origin of its own that has nothing, under a policy of its own.
 * The page around hands it in once: a frame that its page leads elsewhere, perhaps to a
 * policy that allows more, stays empty.
 */
export function FramePage({
  html,
  run,
  hosts = "",
  title,
  scheme = "light",
  frame: given,
  onBegin,
  onWritten,
  onHeight,
  onStopped,
  again,
}: Props) {
  const t = useWords(windowWords);
  const own = useRef<HTMLIFrameElement>(null);
  const frame = given ?? own;
  const loads = useRef(0);
  const [stopped, setStopped] = useState("");
  const ended = useRef(onStopped);
  ended.current = onStopped;
  const sized = useRef(onHeight);
  sized.current = run ? undefined : onHeight;
  const stop = useCallback((why: string) => {
    setStopped(why);
    ended.current?.();
  }, []);
  useKeptFocus(
    frame,
    useCallback(() => stop(t.tookKeys), [stop, t]),
  );
  useEffect(() => {
    const listen = (e: MessageEvent<{ frame?: unknown; height?: unknown } | null>) => {
      if (!frame.current || e.source !== frame.current.contentWindow) return;
      if (e.data?.frame === "leave") leave(frame.current);
      if (e.data?.frame === "height" && typeof e.data.height === "number") sized.current?.(e.data.height);
    };
    addEventListener("message", listen);
    return () => removeEventListener("message", listen);
  }, [frame]);

  const onLoad = () => {
    const view = frame.current!.contentWindow!;
    loads.current++;
    if (loads.current === 1) {
      onBegin?.(view);
      view.postMessage({ html, run, hosts }, "*"); // its origin has no name
    } else if (run && loads.current === 2) {
      onWritten?.(view);
    } else {
      stop(t.leftFrame);
    }
  };
  if (stopped)
    return (
      <div className="flex min-h-0 flex-1 flex-col items-start gap-3 overflow-auto p-4">
        <p role="alert">{stopped}</p>
        {again}
      </div>
    );
  return (
    <iframe
      ref={frame}
      src={run ? `/frame.html?run${hosts}` : "/frame.html"}
      sandbox="allow-scripts"
      referrerPolicy="no-referrer"
      title={title}
      onLoad={onLoad}
      style={{ colorScheme: scheme, background: "Canvas" }}
      className="block min-h-0 w-full flex-1 border-0"
    />
  );
}

/** Takes the focus out of a frame whose page may keep every key: to the menu of its window. */
function leave(frame: HTMLIFrameElement): void {
  if (document.activeElement === frame)
    frame.closest("[data-window], [role=tabpanel]")?.querySelector<HTMLElement>("[data-window-menu]")?.focus();
}
