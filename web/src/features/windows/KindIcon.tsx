import type { WindowContent } from "@clew-run/client";
import { AppWindow, FileText, Image, ListChecks, Table2 } from "lucide-react";

/** What kind of window it is, at a glance. */
export function KindIcon({ kind, size = 15 }: { kind: WindowContent["kind"] | undefined; size?: number }) {
  switch (kind) {
    case "table":
      return <Table2 size={size} />;
    case "components":
      return <ListChecks size={size} />;
    case "image":
      return <Image size={size} />;
    case "app":
    case "mcp_app":
    case "html":
      return <AppWindow size={size} />;
    default:
      return <FileText size={size} />;
  }
}
