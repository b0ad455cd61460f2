import { useEffect, useState } from "react";
import { announce } from "@/app/notices";
import { useWords } from "@/i18n";
import { questionWords } from "./words";

/** A clock that goes as the server's does, whatever this machine's says. */
export interface Clock {
  serverNow(): number;
}

/** The seconds before a deadline at which it is said aloud. */
const spokenAt = [60, 10] as const;

/** Which mark lies between two looks at the time left, in milliseconds. */
export function crossed(before: number, now: number): number | null {
  const passed = spokenAt.filter((s) => before > s * 1000 && now <= s * 1000 && now > 0);
  return passed.at(-1) ?? null;
}

// A question may be on the page twice, in the transcript and above the composer.
// It is spoken of once.
const spoken = new Set<string>();

/** How long a question still has, by the server's clock; null if it has no deadline. Without a subject nothing is said aloud. */
export function useTimeLeft(
  clock: Clock,
  requestId: string,
  deadline: number | undefined,
  subject: string | null,
): number | null {
  const t = useWords(questionWords);
  const [left, setLeft] = useState(() => (deadline ? deadline - clock.serverNow() : null));
  useEffect(() => {
    if (!deadline) return setLeft(null);
    let before = deadline - clock.serverNow();
    setLeft(before);
    const timer = setInterval(() => {
      const now = deadline - clock.serverNow();
      const mark = crossed(before, now);
      before = now;
      setLeft(now);
      if (mark === null || subject === null || spoken.has(`${requestId} ${mark}`)) return;
      spoken.add(`${requestId} ${mark}`);
      announce(t.timeLeftSaid(mark, subject));
    }, 500);
    return () => clearInterval(timer);
  }, [clock, requestId, deadline, subject, t]);
  return left;
}
