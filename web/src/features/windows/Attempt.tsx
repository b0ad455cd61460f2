import type { Session, WindowState } from "@clew-run/client";
import { Component, type ReactNode } from "react";
import { useWords } from "@/i18n";
import { ErrorNote } from "@/ui";
import { windowWords } from "./words";

interface Props {
  session: Session;
  window: WindowState;
  children: ReactNode;
}

interface State {
  failed?: Error;
  /** The content that failed. */
  of?: unknown;
}

/** Draws a window's content, or says that it could not be. The rest of the page goes on. */
export class Attempt extends Component<Props, State> {
  override state: State = {};

  /** Other content is another attempt. */
  static getDerivedStateFromProps({ window: w }: Props, s: State): State | null {
    return s.of === w.content ? null : { of: w.content, failed: undefined };
  }

  static getDerivedStateFromError(failed: Error) {
    return { failed };
  }

  override componentDidCatch(error: Error): void {
    reportFailed(this.props.session, this.props.window, error.message);
  }

  override render(): ReactNode {
    return this.state.failed ? (
      <NotDrawn error={this.state.failed} retry={() => this.setState({ failed: undefined })} />
    ) : (
      this.props.children
    );
  }
}

/** In place of what cannot be shown. */
export function NotDrawn({ error, retry }: { error: Error; retry?: () => void }) {
  const t = useWords(windowWords);
  return (
    <div className="size-full overflow-auto p-3" data-not-drawn>
      <ErrorNote error={new Error(`${t.notDrawn} ${error.message}`)} retry={retry} />
    </div>
  );
}

const told = new Set<string>();
const longest = 500; // letters of an error

/** Tells the server once that this content of a window could not be drawn. Who only watches says nothing. */
export function reportFailed(session: Session, w: WindowState, error: string): void {
  const role = session.store.getSnapshot().session?.role;
  const name = `${session.id} ${w.window_id} ${w.version ?? 0}`;
  if ((role !== undefined && role !== "owner") || told.has(name)) return;
  told.add(name);
  session
    .send("rendering_feedback", { window_id: w.window_id, success: false, error: error.slice(0, longest) })
    .catch(() => told.delete(name)); // nobody here can do anything about it
}
