import type { Bounds, Session, WindowState } from "@clew-run/client";
import { X } from "lucide-react";
import { useEffect, useState } from "react";
import { announce } from "@/app/notices";
import { useWords } from "@/i18n";
import { IconButton } from "@/ui";
import { AgentFoot } from "./AgentFoot";
import { Content } from "./Content";
import { bringToFront, closeWindow, heldAs, hold, keepPlaces, useDesk, useLayout, useMayChange } from "./desk";
import { KindIcon } from "./KindIcon";
import type { Area, Hold } from "./place";
import { WindowBox } from "./WindowBox";
import { WindowMenu } from "./WindowMenu";
import { windowWords } from "./words";

interface Props {
  session: Session;
  window: WindowState;
  area: Area;
  /** Where it lies until somebody puts it elsewhere. */
  place: Bounds;
  rank: number;
  first: boolean;
}

/** A window that an agent opened. */
export function Window({ session, window: w, area, place, rank, first }: Props) {
  const t = useWords(windowWords);
  const title = w.title || t.untitled;
  const { held, aside } = useDesk(session);
  const layout = useLayout();
  const mayChange = useMayChange(session);
  const [closing, setClosing] = useState(false);
  const id = w.window_id;
  const kept = w.layouts?.[layout];
  useEffect(() => hold(session, layout, new Map([[id, undefined]])), [session, id, layout, kept]); // the server's word counts

  const onPlace = (how: Hold, bounds: Bounds) => {
    const places = new Map([[id, bounds]]);
    if (mayChange) void keepPlaces(session, layout, how === "" ? "move" : "resize", places);
    else hold(session, layout, places); // for those who watch, their own view
  };
  const close = () => {
    setClosing(true);
    void closeWindow(session, w).then((ok) => {
      if (ok) announce(t.closed(title));
      else setClosing(false);
    });
  };
  return (
    <WindowBox
      id={id}
      title={title}
      icon={<KindIcon kind={w.content?.kind} />}
      area={area}
      place={held.get(heldAs(layout, id)) ?? kept ?? place}
      rank={rank}
      first={first}
      hidden={aside.has(id)}
      busy={closing}
      onFront={() => bringToFront(session, id)}
      onPlace={onPlace}
      actions={(start) => (
        <>
          <WindowMenu session={session} window={w} title={title} close={close} start={start} />
          {mayChange && (
            <IconButton
              label={closing ? t.closing : t.close}
              icon={<X size={15} />}
              onClick={closing ? undefined : close}
            />
          )}
        </>
      )}
      foot={<AgentFoot session={session} window={w} />}
    >
      <Content session={session} window={w} title={title} />
    </WindowBox>
  );
}
