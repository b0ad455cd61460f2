import type { TranscriptMessage } from "@clew-run/client";
import { create } from "zustand";

export type OpenDialog =
  | { kind: "rename" | "share" | "export" | "allowed" | "archive" | "delete" | "notebook" }
  | { kind: "fork"; messageId?: string }
  | { kind: "edit"; message: TranscriptMessage };

/** Which dialog of the session page is open; at most one. */
export const useDialogs = create<{ dialog: OpenDialog | null; open(d: OpenDialog): void; close(): void }>((set) => ({
  dialog: null,
  open: (dialog) => set({ dialog }),
  close: () => set({ dialog: null }),
}));
