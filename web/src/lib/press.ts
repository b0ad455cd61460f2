let pressing = false;
if (typeof window !== "undefined") {
  window.addEventListener("pointerdown", () => (pressing = true), true);
  for (const end of ["pointerup", "pointercancel"]) window.addEventListener(end, () => (pressing = false), true);
}

/**
 * Calls back now, or once the pointer that is down is up again and its click is done.
 * A field that folds when it loses the focus would else move the button away that
 * took the focus, and the click would miss it.
 */
export function whenReleased(fn: () => void): void {
  if (!pressing) return fn();
  const go = () => {
    for (const end of ["pointerup", "pointercancel"]) window.removeEventListener(end, go, true);
    setTimeout(fn);
  };
  for (const end of ["pointerup", "pointercancel"]) window.addEventListener(end, go, true);
}
