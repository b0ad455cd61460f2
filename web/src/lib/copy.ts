/**
 * Puts a text on the clipboard; false if the browser does not let us. Pages that
 * come without TLS from another machine have no clipboard of their own, so there
 * the old way is taken.
 */
export async function copyText(text: string): Promise<boolean> {
  try {
    if (navigator.clipboard) return await navigator.clipboard.writeText(text).then(() => true);
  } catch {
    // not allowed: the old way may be
  }
  const had = document.activeElement;
  const box = document.createElement("textarea");
  box.value = text;
  box.readOnly = true;
  box.setAttribute("aria-hidden", "true");
  box.className = "fixed top-0 opacity-0";
  (had?.closest("dialog") ?? document.body).append(box); // what is outside of an open dialog cannot be chosen
  box.select();
  const done = document.execCommand("copy");
  box.remove();
  if (had instanceof HTMLElement) had.focus({ preventScroll: true });
  return done;
}
