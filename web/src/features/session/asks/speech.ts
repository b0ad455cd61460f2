/** Speaks a text where the browser can; one at a time. */
export function speak(text: string, language: string): void {
  if (typeof speechSynthesis === "undefined" || text.trim() === "") return;
  speechSynthesis.cancel();
  const said = new SpeechSynthesisUtterance(text);
  said.lang = language === "ko" ? "ko-KR" : "en-US";
  speechSynthesis.speak(said);
}

export function hush(): void {
  if (typeof speechSynthesis !== "undefined") speechSynthesis.cancel();
}
