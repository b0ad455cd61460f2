import { cx } from "./cx";

/** What a thing is doing, in four colours and as many shapes. */
export type Tone = "run" | "ask" | "fail" | "past" | "done" | "wait";

/** The tone of a session, a todo or a tool call. */
export function toneOf(status: string | undefined): Tone {
  switch (status) {
    case "planning":
    case "executing":
    case "in_progress":
    case "running":
    case "active":
      return "run";
    case "awaiting_input":
    case "awaiting_others":
    case "paused":
    case "pending_approval":
    case "budget":
      return "ask";
    case "failed":
    case "error":
    case "aborted":
      return "fail";
    case "completed":
    case "complete":
    case "approved":
      return "done";
    case "cancelled":
    case "stopped":
    case "denied":
    case "skipped":
    case "rejected":
      return "past";
    default:
      return "wait";
  }
}

const ink: Record<Tone, string> = {
  run: "text-run",
  ask: "text-ask",
  fail: "text-fail",
  past: "text-past",
  done: "text-run",
  wait: "text-past",
};

/**
 * The mark on the thread: a full dot works, a diamond needs you, a cross failed,
 * a tick is done, a ring waits, a dash is past. Shape doubles colour.
 */
export function Mark({
  tone,
  size = 12,
  live,
  className,
}: {
  tone: Tone;
  size?: number;
  live?: boolean;
  className?: string;
}) {
  return (
    <svg
      viewBox="0 0 12 12"
      width={size}
      height={size}
      aria-hidden
      className={cx("shrink-0", ink[tone], live && "breathe", className)}
    >
      {tone === "run" && <circle cx="6" cy="6" r="4" fill="currentColor" />}
      {tone === "ask" && <path d="M6 .8 11.2 6 6 11.2.8 6z" fill="currentColor" />}
      {tone === "fail" && (
        <path d="m2.5 2.5 7 7m0-7-7 7" stroke="currentColor" strokeWidth="2.2" strokeLinecap="round" />
      )}
      {tone === "done" && (
        <path
          d="m2 6.5 2.8 2.8L10 3.2"
          fill="none"
          stroke="currentColor"
          strokeWidth="2"
          strokeLinecap="round"
          strokeLinejoin="round"
        />
      )}
      {tone === "wait" && <circle cx="6" cy="6" r="3.6" fill="none" stroke="currentColor" strokeWidth="1.6" />}
      {tone === "past" && <path d="M2.5 6h7" stroke="currentColor" strokeWidth="2" strokeLinecap="round" />}
    </svg>
  );
}
