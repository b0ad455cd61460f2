import type { Action, ActionsData, Bounds, WindowState } from "./types.gen.js";

const most = 16;
const monitors: readonly unknown[] = ["monitor-0", "monitor-1", "monitor-2", "monitor-3"];

/** What a window shows. HTML is a stranger's: show it in a sandbox, or not at all. */
export interface WindowContent {
  readonly kind: "markdown" | "html";
  readonly text: string;
}

/** What a window shows, empty Markdown if it shows nothing. */
export function contentOf(window: WindowState): WindowContent {
  return isContent(window.content) ? window.content : { kind: "markdown", text: "" };
}

/** The windows after what an agent or a person did to them; the last one lies in front. */
export function windowsAfter(windows: readonly WindowState[], data: ActionsData): readonly WindowState[] {
  return data.actions.reduce((list, action) => after(list, data, action), windows);
}

function after(list: readonly WindowState[], data: ActionsData, action: Action): readonly WindowState[] {
  const id = action.window_id;
  const old = list.find((w) => w.window_id === id);
  const rest = list.filter((w) => w !== old);
  switch (action.type) {
    case "window.create": {
      if (!id || rest.length >= most) return list;
      const monitor_id = old?.monitor_id ?? (monitors.includes(data.monitor_id) ? data.monitor_id : "monitor-0");
      return [...rest, changed({ window_id: id, monitor_id, title: "", agent_id: data.agent_id, bounds: old?.bounds }, action)];
    }
    case "window.update":
      return old ? list.map((w) => (w === old ? changed(w, action) : w)) : list;
    case "window.close":
      return old ? rest : list;
    case "window.focus":
      return old ? [...rest, old] : list;
    default:
      return list;
  }
}

function changed(window: WindowState, { params = {} }: Action): WindowState {
  const next = { ...window };
  if (typeof params.title === "string") next.title = params.title;
  if (isContent(params.content)) next.content = params.content;
  if (isBounds(params.bounds)) next.bounds = params.bounds;
  if (monitors.includes(params.monitor_id)) next.monitor_id = params.monitor_id as string;
  return next;
}

function isContent(v: unknown): v is WindowContent {
  const c = v as Partial<WindowContent> | null | undefined;
  return (c?.kind === "markdown" || c?.kind === "html") && typeof c.text === "string";
}

function isBounds(v: unknown): v is Bounds {
  const b = v as Partial<Bounds> | null | undefined;
  return [b?.x, b?.y, b?.w, b?.h].every(Number.isInteger);
}
