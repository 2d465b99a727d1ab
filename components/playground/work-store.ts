// The program as it is being written. It stands outside React, so that a pressed key draws nothing again but the editor
// itself; who shows a part of it subscribes.
import { useSyncExternalStore } from "react";
import { EMPTY, keyOf, type Work } from "./work.ts";

export class WorkStore {
  #work: Work = EMPTY;
  #place: ((text: string) => void) | null = null;
  readonly #watchers = new Set<() => void>();

  readonly get = (): Work => this.#work;

  readonly set = (change: Partial<Work>): void => {
    const next = { ...this.#work, ...change };
    if (keyOf(next) === keyOf(this.#work)) return;
    this.#work = next;
    for (const notify of this.#watchers) notify();
  };

  /** Puts a path where the cursor stands; without an editor, at the end. */
  readonly insert = (text: string): void => {
    const { program } = this.#work;
    if (["", "."].includes(program.trim())) this.set({ program: text });
    else if (this.#place === null) this.set({ program: `${program.trimEnd()} | ${text}` });
    else this.#place(text);
  };

  /** Said by who knows where the cursor stands, for as long as an editor is there. */
  readonly placeBy = (place: (text: string) => void): (() => void) => {
    this.#place = place;
    return () => {
      this.#place = null;
    };
  };

  readonly subscribe = (notify: () => void): (() => void) => {
    this.#watchers.add(notify);
    return () => void this.#watchers.delete(notify);
  };
}

/** The work now; drawn again at every key. */
export const useWork = (store: WorkStore): Work => useSyncExternalStore(store.subscribe, store.get, () => EMPTY);
