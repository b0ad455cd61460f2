import { newId } from "@clew-run/client";
import { useEffect, useRef, useState } from "react";
import { announce, notifyError } from "@/app/notices";
import { wordsNow } from "@/i18n";
import { useMayChange } from "../desk";
import { AppBox, inFrame } from "./AppBox";
import type { Run } from "./AppWindow";
import { connectPort, type AppPort, type PortHost } from "./port";
import { appWords } from "./words";

/** An app that an agent opened from a file: it answers agents, and its buttons reach the window's agent. */
export function PortApp(props: Run) {
  const { session, window: w } = props;
  const mayChange = useMayChange(session);
  const frame = useRef<HTMLIFrameElement>(null);
  const port = useRef<AppPort | null>(null);
  const [said, setSaid] = useState<Parameters<PortHost["ready"]>[0] | null>(null);
  const now = useRef({ mayChange, requests: w.app_requests });
  now.current = { mayChange, requests: w.app_requests };

  useEffect(() => port.current?.ask(w.app_requests ?? []), [w.app_requests]);
  useEffect(() => () => port.current?.close(), []);
  // A rewind, or another page in between, has the server forget what the app can do.
  const known = w.app !== undefined;
  const told = useRef<typeof said>(null);
  useEffect(() => {
    if (!said || !mayChange || (known && told.current === said)) return;
    told.current = said;
    session.send("app_protocol_ready", { window_id: w.window_id, ...said }).catch(notifyError);
  }, [session, w.window_id, said, known, mayChange]);

  const onWritten = (view: Window) => {
    port.current?.close();
    port.current = connectPort(view, {
      ready: setSaid,
      answer(id, answer) {
        if (now.current.mayChange)
          session
            .send("app_protocol_response", { request_id: id, window_id: w.window_id, ...answer })
            .catch(notifyError);
      },
      event(action, data, parallel) {
        const sent = session.send("component_action", {
          window_id: w.window_id,
          action,
          action_id: parallel ? newId() : undefined,
          form_data: data,
        });
        sent.then(() => announce(wordsNow(appWords).sent(action.slice(0, 80))), notifyError);
      },
      hasFocus: () => now.current.mayChange && inFrame(frame.current),
    });
    port.current.ask(now.current.requests ?? []);
  };
  return (
    <AppBox
      {...props}
      frame={frame}
      ready={said !== null && (known || !mayChange)}
      onWritten={onWritten}
      onStopped={() => port.current?.close()}
    />
  );
}
