import { useEffect, useRef, useState } from "react";
import { LinkQuestion } from "../kinds/Links";
import { useMayChange } from "../desk";
import { AppBox, inFrame } from "./AppBox";
import type { Run } from "./AppWindow";
import { connectApp, type Bridge, type ShownCall } from "./bridge";
import { useSurroundings } from "./surroundings";
import { useToolCalls } from "./useToolCalls";

interface Asked {
  url: URL;
  answer(open: boolean): void;
}

/** The page of a tool server, which shows what a call came to. */
export function McpApp({ call, ...props }: Run & { call: ShownCall }) {
  const { session, window: w } = props;
  const mayChange = useMayChange(session);
  const frame = useRef<HTMLIFrameElement>(null);
  const bridge = useRef<Bridge | null>(null);
  const [ready, setReady] = useState(false);
  const [link, setLink] = useState<Asked | null>(null);
  const callTool = useToolCalls(session, w);
  const around = useSurroundings();
  const now = useRef({ around, mayChange, link });
  now.current = { around, mayChange, link };

  useEffect(() => bridge.current?.changed(), [around.theme, around.locale]);
  useEffect(() => () => void bridge.current?.close(), []);
  useEffect(() => {
    const observer = new ResizeObserver(() => bridge.current?.changed());
    if (frame.current) observer.observe(frame.current);
    return () => observer.disconnect();
  }, []);

  const onBegin = (view: Window) => {
    const owners = () => {
      if (!now.current.mayChange) throw new Error("only the session's owner can use this app");
    };
    bridge.current = connectApp(view, call, {
      context: () => ({
        ...now.current.around,
        displayMode: "inline",
        availableDisplayModes: ["inline"],
        platform: "web",
        containerDimensions: { width: frame.current?.clientWidth ?? 0, height: frame.current?.clientHeight ?? 0 },
      }),
      ready: () => setReady(true),
      callTool: async (name, args) => {
        owners();
        return callTool(name, args);
      },
      say: async (text) => {
        owners();
        await session.send("window_message", { window_id: w.window_id, text });
      },
      openLink: (url) =>
        new Promise((done, fail) => {
          if (now.current.link) return fail(new Error("another link is open for a decision"));
          setLink({ url, answer: (open) => (open ? done() : fail(new Error("the person did not open the link"))) });
        }),
      hasFocus: () => inFrame(frame.current),
    });
  };
  const answer = (open: boolean) => {
    link?.answer(open);
    setLink(null);
  };
  return (
    <>
      <AppBox {...props} frame={frame} ready={ready} onBegin={onBegin} onStopped={() => void bridge.current?.close()} />
      <LinkQuestion url={link?.url ?? null} answer={answer} />
    </>
  );
}
