// Names that a later step can need word for word: paths, file names, identifiers, hashes. Told by their form alone; no list
// of words, languages or projects. A plain word (error, Session) is none, whatever it names.

export type Entity = { readonly name: string; readonly at: number };

/** Longer runs are data, not names. */
const LONGEST = 160;
// A run of the characters that names are made of, bounded: a text without breaks costs no more than its length.
const RUN = /[A-Za-z0-9_~.@/\\-]{4,400}/g;
const IDENTIFIER = /[A-Za-z_][A-Za-z0-9_]{3,}/g;

/** Names in a text, in order. A path is one, and so are the names within it: its file, its identifiers. */
export function entitiesIn(text: string): Entity[] {
  const found: Entity[] = [];
  for (const run of text.matchAll(RUN)) {
    const [raw] = run;
    const word = raw.replace(/[.,/\\@~-]+$/, "");
    // Most runs are plain words.
    if (!/[A-Z_0-9./\\-]/.test(word.slice(1)) && !/^[/~.]/.test(word)) continue;
    if (raw.length < 400) nameRun(word, run.index, found);
  }
  return found;
}

function nameRun(word: string, at: number, found: Entity[]): void {
  const add = (name: string, offset: number): void => {
    if (name.length <= LONGEST) found.push({ name, at: at + offset });
  };
  if (/[/\\]/.test(word)) {
    if (isPath(word)) add(word, 0);
    let from = 0;
    for (const part of word.split(/[/\\]/)) {
      if (part.length >= 4) nameRun(part, at + from, found);
      from += part.length + 1;
    }
    return;
  }
  if (isWhole(word)) {
    add(word, 0);
    if (!/[.-]/.test(word) || isUuid(word)) return;
  }
  if (/[.@~-]/.test(word)) {
    for (const part of word.matchAll(IDENTIFIER)) if (isIdentifier(part[0])) add(part[0], part.index);
  }
}

const isWhole = (word: string): boolean =>
  word.length >= 4 && (isIdentifier(word) || isHash(word) || isUuid(word) || isDotted(word) || isKebab(word));

const isHash = (word: string): boolean => /^[0-9a-f]{7,64}$/.test(word) && /\d/.test(word) && /[a-f]/.test(word);
const isUuid = (word: string): boolean => /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/.test(word);

/** camelCase, PascalCase of two words, snake_case, CONSTANT_CASE, a word with a digit inside. */
const isIdentifier = (word: string): boolean =>
  /^[A-Za-z_]\w*$/.test(word) &&
  (/[a-z][A-Z]|[A-Z]{2}[a-z]/.test(word) || /[A-Za-z0-9]_+[A-Za-z0-9]/.test(word) || /[A-Za-z]\d+[A-Za-z]/.test(word));

/** `name.ext`: a file, or a member of something. Dots between numbers are versions and times. */
const isDotted = (word: string): boolean =>
  /^[\w-]{2,}(?:\.[A-Za-z_][\w-]*)+$/.test(word) && /^[\d-]*[A-Za-z_]/.test(word);

/** kebab-case of three words, or of two with a digit: two plain words are a hyphenated word. */
const isKebab = (word: string): boolean =>
  /^[A-Za-z]\w*(?:-\w+)+$/.test(word) && (/-\w+-/.test(word) || /\d/.test(word));

/** A path has a root, three parts, or a name among its parts: `and/or` is none. */
function isPath(word: string): boolean {
  const parts = word.split(/[/\\]/).filter((part) => part !== "");
  return parts.length >= 2 && (/^(?:~|\.{0,2})[/\\]/.test(word) || parts.length >= 3 || parts.some(isWhole));
}
