import { X } from "lucide-react";
import { useWords } from "@/i18n";
import { IconButton } from "@/ui";
import { composerWords } from "./words";

/** The images that go with a message that is being written. */
export function Thumbs({ images, remove }: { images: readonly string[]; remove(i: number): void }) {
  const t = useWords(composerWords);
  return (
    <ul className="flex flex-wrap gap-2 px-3 pt-2">
      {images.map((url, i) => (
        <li key={i} className="relative">
          <img src={url} alt={t.image(i + 1)} className="size-14 rounded border border-line object-cover" />
          <IconButton
            label={t.removeImage(i + 1)}
            icon={<X size={12} />}
            onClick={() => remove(i)}
            className="absolute -top-2 -right-2 size-5 rounded-full border border-line bg-sheet after:absolute after:-inset-1 pointer-coarse:size-6 pointer-coarse:after:-inset-2.5"
          />
        </li>
      ))}
    </ul>
  );
}
