/** For so long after a key somebody is still typing. */
const stillTypingMs = 300;

let lastKey = -Infinity;
let timer: ReturnType<typeof setTimeout> | undefined;

function mark(): void {
  const left = lastKey + stillTypingMs - performance.now();
  if (left > 0) {
    timer = setTimeout(mark, left + 1);
    return;
  }
  timer = undefined;
  delete document.documentElement.dataset.typing;
}

if (typeof window !== "undefined") {
  window.addEventListener(
    "keydown",
    () => {
      lastKey = performance.now();
      if (timer !== undefined) return;
      document.documentElement.dataset.typing = ""; // what moves by itself rests meanwhile (tokens.css)
      timer = setTimeout(mark, stillTypingMs);
    },
    { capture: true, passive: true },
  );
}

/** Whether somebody types right now: whoever writes looks at what they write, so all else may come later. */
export function isTyping(): boolean {
  return performance.now() - lastKey < stillTypingMs;
}
