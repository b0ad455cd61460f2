/** How often listeners hear of changes at most. */
const frameMs = 16;

/**
 * Calls a function soon after a change, and not more than once a frame: at once
 * after a quiet time, then at the frame's end.
 */
export class Notifier {
  readonly #fn: () => void;
  #due = false;
  #resting = false;

  constructor(fn: () => void) {
    this.#fn = fn;
  }

  mark(): void {
    if (this.#due) return;
    this.#due = true;
    if (!this.#resting) queueMicrotask(() => this.flush());
  }

  /** Tells what there is to tell now. */
  flush(): void {
    if (!this.#due) return;
    this.#due = false;
    if (!this.#resting) {
      this.#resting = true;
      setTimeout(() => {
        this.#resting = false;
        this.flush();
      }, frameMs);
    }
    this.#fn();
  }
}
