import type { Session } from "@clew-run/client";
import { useEffect, useMemo } from "react";
import { client } from "@/app/client";

/**
 * The session. A tab that is one of several screens has a connection of its own, which hears of its
 * monitor alone: what streams on the others costs it nothing. Any other tab hears of all of them, so
 * that it can go from one to the next at once.
 */
export function useScreenSession(id: string, monitor: string, screen: boolean): Session {
  const alone = screen ? monitor : "";
  const session = useMemo(() => (alone === "" ? client.session(id) : client.session(id, {})), [id, alone]);
  useEffect(() => {
    if (alone === "") return client.use(id);
    session.connect();
    void session.send("subscribe_monitor", { monitor_id: alone });
    return session.disconnect;
  }, [session, id, alone]);
  return session;
}
