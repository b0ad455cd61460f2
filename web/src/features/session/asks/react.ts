import type { InvokeData } from "@clew-run/client";
import type { AskWords } from "./words";

/** What the page can do when the server asks it to. It offers; only people go somewhere and send. */
export interface Page {
  /** Shows a line with a button. */
  offer(text: string, label: string, run: () => void): void;
  /** Shows a line for a while. */
  tell(text: string): void;
  navigate(path: string): void;
  showPart(part: "plan" | "changes" | "terminal" | "chat"): void;
  /** The open question, if there is one. */
  question(): string | undefined;
  composer: ComposerPart;
}

export interface ComposerPart {
  isEmpty(): boolean;
  /** Somebody types right now. */
  isTyping(): boolean;
  putIn(text: string, images: string[]): void;
  submit(): void;
}

type View = keyof AskWords["views"];

/** show_view: something is to be seen. Nobody is taken there by force. */
export function onShowView(page: Page, t: AskWords, sessionId: string, view: string): void {
  if (!Object.hasOwn(t.views, view)) return; // of another interface
  const go: Record<View, () => void> = {
    chat: () => page.showPart("chat"), plan: () => page.showPart("plan"), changes: () => page.showPart("changes"), terminal: () => page.showPart("terminal"),
    time: () => page.navigate(`/s/${sessionId}/time`), settings: () => page.navigate("/settings"), history: () => page.navigate("/history"),
    mcp: () => page.navigate("/mcp"), inbox: () => page.navigate("/inbox"),
  };
  page.offer(t.show(t.views[view as View]), t.go, go[view as View]);
}

/** invoke: the page should act as a person would. It prepares that, and a person does it. */
export function onInvoke(page: Page, t: AskWords, sessionId: string, d: InvokeData): void {
  const { text = "", images = [] } = d;
  switch (d.invoke) {
    case "new_chat":
      return page.offer(t.newChat, t.toHome, () => page.navigate("/"));
    case "send_message": {
      if (text === "" && images.length === 0) return;
      const put = () => page.composer.putIn(text, images);
      if (!page.composer.isEmpty() || page.composer.isTyping()) return page.offer(t.words, t.putIn, put);
      put();
      return page.tell(t.filled);
    }
    case "primary_button_click": {
      const id = page.question();
      if (id) page.offer(t.answer, t.toQuestion, () => page.navigate(`/s/${sessionId}?question=${encodeURIComponent(id)}`));
    }
  }
}

/** accept_input: what is typed should be sent; not in the middle of a word. */
export function onAcceptInput(page: Page, t: AskWords): void {
  if (page.composer.isEmpty()) return;
  if (page.composer.isTyping()) page.offer(t.send, t.sendNow, page.composer.submit);
  else page.composer.submit();
}
