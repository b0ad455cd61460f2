import type { KernelState as State, NotebookInfo } from "@clew-run/client";
import { useWords } from "@/i18n";
import { cx, Mark, type Tone } from "@/ui";
import { notebookWords } from "./words";

const tones: Record<State, Tone> = {
  none: "wait",
  starting: "run",
  idle: "wait",
  busy: "run",
  restarting: "run",
  dead: "fail",
  lost: "fail",
  stopped: "past",
};
const moves = new Set<State>(["starting", "busy", "restarting"]);

/** Which kernel it is, and what it does. */
export function KernelState({ notebook }: { notebook: NotebookInfo }) {
  const t = useWords(notebookWords);
  const { state, info, name, reason, wanted } = notebook.kernel;
  const label = wanted === "interrupt" ? t.stopping : (t.kernel[state] ?? state);
  const known = info?.language
    ? `${capital(info.language)}${info.version ? ` ${info.version.split(".").slice(0, 2).join(".")}` : ""}`
    : (name ?? "");
  return (
    <span
      title={reason}
      aria-label={t.kernelIs(known || t.kernelName, label)}
      role="status"
      className={cx(
        "flex min-w-0 shrink items-center gap-1.5 text-sm whitespace-nowrap text-soft",
        (state === "dead" || state === "lost") && "text-fail",
      )}
      data-kernel={state}
    >
      <Mark tone={tones[state] ?? "wait"} live={moves.has(state)} size={10} />
      <span className="truncate">{known && state !== "none" ? `${known} · ${label}` : label}</span>
    </span>
  );
}

function capital(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}
