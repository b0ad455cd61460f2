/** Listeners by name; those of one name are called with what happened. */
export class Listeners<T> {
  readonly #byName = new Map<string, Set<(what: T) => void>>();

  /** Adds a listener and returns how to take it away. */
  add(name: string, fn: (what: T) => void): () => void {
    let set = this.#byName.get(name);
    if (!set) this.#byName.set(name, (set = new Set()));
    set.add(fn);
    return () => {
      set.delete(fn);
      if (set.size === 0) this.#byName.delete(name);
    };
  }

  has(name: string): boolean {
    return this.#byName.has(name);
  }

  call(name: string, what: T): void {
    for (const fn of [...(this.#byName.get(name) ?? [])]) fn(what);
  }
}
