import { Component, type ReactNode } from "react";
import { wordsNow } from "@/i18n";
import { Button, Empty } from "@/ui";
import { appWords } from "./words";

/** Stands in for a part of the page that threw. */
export class Broken extends Component<{ children: ReactNode; where?: string }, { error: Error | null }> {
  override state = { error: null as Error | null };

  static getDerivedStateFromError(error: Error) {
    return { error };
  }

  override componentDidUpdate(before: { where?: string }) {
    if (before.where !== this.props.where && this.state.error) this.setState({ error: null });
  }

  override render() {
    if (!this.state.error) return this.props.children;
    const t = wordsNow(appWords);
    return (
      <Empty
        title={t.broken}
        action={
          <Button look="main" onClick={() => location.reload()}>
            {t.reload}
          </Button>
        }
      >
        <p>{t.brokenHelp}</p>
        <p className="pt-2 font-mono text-xs">{this.state.error.message}</p>
      </Empty>
    );
  }
}
