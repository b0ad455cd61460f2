/**
 * Makes the page end above an on-screen keyboard. Most browsers shrink the page
 * themselves, as index.html asks; Safari only covers it, and moves it up.
 */
export function followKeyboard(): void {
  const seen = window.visualViewport;
  if (!seen) return;
  const fit = () => {
    if (seen.scale > 1.01) return; // somebody looks closer: the page stays as it is
    const covered = innerHeight - seen.height > 1;
    document.body.style.height = covered ? `${seen.height}px` : "";
    if (covered) scrollTo(0, 0);
  };
  seen.addEventListener("resize", fit);
  seen.addEventListener("scroll", fit);
}
