import { create } from "zustand";

export type SidePart = "plan" | "changes" | "terminal";
export type PhonePart = "chat" | "plan" | "changes" | "terminal" | "windows" | "questions";

interface Side {
  part: SidePart;
  open: boolean;
  /** In pixels. */
  width: number;
  phone: PhonePart;
  /** The session whose part that is. */
  phoneOf: string;
  /** Whether it lies over the page, where there is no room beside it. */
  over: boolean;
  show(part: SidePart): void;
  setOpen(open: boolean): void;
  setOver(over: boolean): void;
  setWidth(width: number): void;
  setPhone(part: PhonePart, of?: string): void;
}

const key = "clew.side";
export const narrowest = 280;
export const widest = 1100;

type Kept = Pick<Side, "part" | "open" | "width">;

function kept(): Kept {
  const base: Kept = { part: "plan", open: true, width: 340 };
  try {
    const found = JSON.parse(localStorage.getItem(key) ?? "{}") as Partial<Kept>;
    return { part: found.part ?? base.part, open: found.open ?? base.open, width: fitting(found.width ?? base.width) };
  } catch {
    return base;
  }
}

export function fitting(width: number): number {
  return Math.round(Math.min(widest, Math.max(narrowest, Number.isFinite(width) ? width : narrowest)));
}

/** How the right side of a session stands; kept by the browser, for all sessions. */
export const useSide = create<Side>((set, get) => {
  const keep = (change: Partial<Kept>) => {
    set(change);
    const { part, open, width } = get();
    try {
      localStorage.setItem(key, JSON.stringify({ part, open, width }));
    } catch {
      // kept for this page then
    }
  };
  return {
    ...kept(),
    phone: "chat",
    phoneOf: "",
    over: false,
    show: (part) => {
      keep({ part, open: true });
      set({ phone: part, over: true });
    },
    setOpen: (open) => keep({ open }),
    setOver: (over) => set({ over }),
    setWidth: (width) => keep({ width: fitting(width) }),
    setPhone: (phone, of) => set(of === undefined ? { phone } : { phone, phoneOf: of }),
  };
});
