import type { Session, WindowState } from "@clew-run/client";
import { Maximize2, Minus, MonitorUp, MoreHorizontal, Move, X } from "lucide-react";
import { announce } from "@/app/notices";
import { useWords } from "@/i18n";
import { IconButton, Menu, type MenuItem } from "@/ui";
import { monitors, numberOf, putAside, sendTo, useMayChange } from "./desk";
import type { Stepping } from "./useSteps";
import { windowWords } from "./words";

interface Props {
  session: Session;
  window: WindowState;
  title: string;
  close(): void;
  /** Moves and resizes by keyboard, where there is room for that. */
  start?(kind: Stepping): void;
}

/** Everything that can be done with a window, by whatever hand. */
export function WindowMenu({ session, window: w, title, close, start }: Props) {
  const t = useWords(windowWords);
  const mayChange = useMayChange(session);
  const items: (MenuItem | "line")[] = [];
  if (start) {
    items.push(
      { id: "move", label: t.move, icon: <Move size={14} />, run: () => start("move") },
      { id: "resize", label: t.resize, icon: <Maximize2 size={14} />, run: () => start("resize") },
      { id: "hide", label: t.hide, icon: <Minus size={14} />, run: () => putAside(session, w.window_id) },
    );
  }
  if (mayChange) {
    if (start) items.push("line");
    for (const monitor of monitors) {
      const n = numberOf(monitor);
      if (n === numberOf(w.monitor_id)) continue;
      const run = () => void sendTo(session, w, monitor).then((ok) => ok && announce(t.sent(title, n)));
      items.push({ id: monitor, label: t.sendTo(n), icon: <MonitorUp size={14} />, run });
    }
    items.push("line", { id: "close", label: t.close, icon: <X size={14} />, run: close });
  }
  if (items.length === 0) return null;
  return (
    <Menu
      label={t.menu(title)}
      items={items}
      trigger={<IconButton label={t.menu(title)} icon={<MoreHorizontal size={15} />} data-window-menu />}
    />
  );
}
