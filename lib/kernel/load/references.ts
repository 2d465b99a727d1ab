// When did the model last use an output? When words of its own name something that came in with it: the file's name, or two
// identifiers that nothing before had said. Literal words only: what a model understood without naming it is not seen.

/** Words that can tell one output from another: identifiers, paths, hashes; of six characters and more. */
const WORD = /[A-Za-z_][A-Za-z0-9_-]{5,79}/g;
/** Identifiers kept of one output. */
const WORDS = 400;
/** Text that is looked at, of one event (characters). */
const CHARS = 64 * 1024;
/** Words that must be named for an output to count as used: one alone is often a coincidence. */
const NAMED = 2;

export type Said =
  | { readonly seq: number; readonly does: "come"; readonly text: string; readonly path: string | null }
  /** `call` is the index of the model call whose words they are. */
  | { readonly seq: number; readonly does: "say"; readonly text: string; readonly call: number };

/**
 * For each output that came, the index of the last call that used it while it was there: `left` answers with the first call
 * that was not sent it any more. `said` is in the order of the log.
 */
export function lastUses(said: Iterable<Said>, left: (seq: number) => number): ReadonlyMap<number, number> {
  const owner = new Map<string, number>();
  const known = new Set<string>();
  const uses = new Map<number, number>();
  for (const piece of said) {
    const words = wordsOf(piece.text);
    if (piece.does === "come") {
      const name = piece.path === null ? null : nameOf(piece.path);
      if (name !== null) owner.set(name, piece.seq);
      let kept = 0;
      for (const word of words) {
        if (known.has(word)) continue;
        known.add(word);
        if (kept++ < WORDS) owner.set(word, piece.seq);
      }
      continue;
    }
    const named = new Map<number, number>();
    for (const word of words) {
      const seq = owner.get(word);
      if (seq !== undefined) named.set(seq, (named.get(seq) ?? 0) + 1);
      known.add(word);
    }
    for (const name of namesIn(piece.text)) {
      const seq = owner.get(name);
      if (seq !== undefined) named.set(seq, NAMED);
    }
    for (const [seq, count] of named) if (count >= NAMED && piece.call < left(seq)) uses.set(seq, piece.call);
  }
  return uses;
}

const wordsOf = (text: string): Set<string> => new Set(text.slice(0, CHARS).match(WORD));

/** A file's name with its ending: shorter ones are words of the language. */
function nameOf(path: string): string | null {
  const name = path.split(/[\\/]/).at(-1) ?? "";
  return name.length >= 5 && name.includes(".") ? name : null;
}

const NAMES = /[A-Za-z0-9_-]{1,80}(?:\.[A-Za-z0-9_-]{1,40})+/g;
const namesIn = (text: string): Set<string> => new Set(text.slice(0, CHARS).match(NAMES));
