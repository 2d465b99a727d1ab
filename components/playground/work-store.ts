// The program as it is being written. It stands outside React, so that a pressed key draws nothing again but the editor
// itself; who shows a part of it subscribes.
import { useSyncExternalStore } from "react";
import { extended, goneTo } from "#lib/kernel/jq/extend-program.ts";
import { pipeStages } from "#lib/kernel/jq/pipe-stages.ts";
import { EMPTY, keyOf, type Work } from "./work.ts";

/** What a click added, and the program before it. */
export type Added = { readonly before: string; readonly after: string; readonly text: string };

export class WorkStore {
  #work: Work = EMPTY;
  #added: Added | null = null;
  #insert: ((text: string) => void) | null = null;
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
    else if (this.#insert === null) this.set({ program: `${program.trimEnd()} | ${text}` });
    else this.#insert(text);
  };

  /** Goes on from each value of the result: to a key, or with a selection. */
  readonly extend = (text: string): void => this.#add(extended(this.#work.program, text), text);

  /** Goes to a path of the input: on from there where the program still has it, else at the cursor. */
  readonly goTo = (text: string): void => {
    const stages = pipeStages(text);
    const last = stages.at(-1)?.text ?? "";
    const condition = last.startsWith("select(") ? last : null;
    const path = condition === null ? text : (stages.at(-2)?.program ?? ".");
    const next = goneTo(this.#work.program, path, condition);
    if (next === null) this.insert(text);
    else this.#add(next, text);
  };

  /** Another program in place of this one. */
  readonly replace = (program: string): void => this.#add(program, program);

  #add(after: string, text: string): void {
    this.#added = { before: this.#work.program, after, text };
    this.set({ program: after });
  }

  /** What was added last, until the program changes again. */
  readonly added = (): Added | null => (this.#added?.after === this.#work.program ? this.#added : null);

  readonly undo = (): void => {
    const added = this.added();
    if (added !== null) this.set({ program: added.before });
  };

  /** Said by who knows where the cursor stands, for as long as an editor is there. */
  readonly insertBy = (insert: (text: string) => void): (() => void) => {
    this.#insert = insert;
    return () => {
      this.#insert = null;
    };
  };

  readonly subscribe = (notify: () => void): (() => void) => {
    this.#watchers.add(notify);
    return () => void this.#watchers.delete(notify);
  };
}

/** What a click added last; null once the program is another. */
export const useAdded = (store: WorkStore): Added | null =>
  useSyncExternalStore(store.subscribe, store.added, () => null);

/** The work now; drawn again at every key. */
export const useWork = (store: WorkStore): Work => useSyncExternalStore(store.subscribe, store.get, () => EMPTY);
