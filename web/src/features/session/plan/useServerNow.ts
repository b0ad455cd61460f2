import { useEffect, useState } from "react";

/** The server's time, second by second while it matters. */
export function useServerNow(clock: { serverNow(): number }, ticking: boolean): number {
  const [now, setNow] = useState(() => clock.serverNow());
  useEffect(() => {
    setNow(clock.serverNow());
    if (!ticking) return;
    const timer = setInterval(() => setNow(clock.serverNow()), 1000);
    return () => clearInterval(timer);
  }, [clock, ticking]);
  return now;
}
