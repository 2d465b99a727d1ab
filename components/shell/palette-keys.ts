// What is typed between the shortcut and the moment when the palette's field has the focus: the palette is fetched when it is
// first opened, and a hand types 5 to 10 keys in that time. They are collected here, and stand in the field when it comes.

type Typed = {
  readonly text: string;
  /** Enter was pressed before there was a result to open. */ readonly enter: boolean;
};

const EMPTY: Typed = { text: "", enter: false };
let typed = EMPTY;
let stop: (() => void) | null = null;
const watchers = new Set<() => void>();

export const paletteKeys = {
  get: (): Typed => typed,
  set(next: Partial<Typed>): void {
    typed = { ...typed, ...next };
    for (const notify of watchers) notify();
  },
  subscribe(notify: () => void): () => void {
    watchers.add(notify);
    return () => watchers.delete(notify);
  },
  /** From now on keys go into the text, until `release`. */
  collect(onEscape: () => void): void {
    paletteKeys.release();
    paletteKeys.set(EMPTY);
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
      if (event.key === "Escape") onEscape();
      else if (event.key === "Enter") paletteKeys.set({ enter: true });
      else if (event.key === "Backspace") paletteKeys.set({ text: typed.text.slice(0, -1) });
      else if (event.key.length === 1) paletteKeys.set({ text: typed.text + event.key });
      else return;
      event.preventDefault();
      event.stopPropagation();
    };
    window.addEventListener("keydown", onKey, true);
    stop = () => window.removeEventListener("keydown", onKey, true);
  },
  /** The field has the focus, or the palette is closed. */
  release(): void {
    stop?.();
    stop = null;
  },
};
