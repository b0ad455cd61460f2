import { contentOf, type WindowState } from "@clew-run/client";
import { useWords } from "@/i18n";
import { Markdown } from "@/lib/Markdown";
import { Frame } from "./Frame";
import { windowWords } from "./words";

/** What a window shows. */
export function Content({ window: w, title }: { window: WindowState; title: string }) {
  const t = useWords(windowWords);
  const { kind, text } = contentOf(w);
  if (kind === "html") return <Frame html={text} title={t.content(title)} />;
  return (
    <div tabIndex={0} role="group" aria-label={t.content(title)} className="size-full overflow-auto px-4 py-3 outline-offset-[-2px]">
      <Markdown text={text} />
    </div>
  );
}
