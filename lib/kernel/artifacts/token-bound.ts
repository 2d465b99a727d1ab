// How many tokens a text may take at most, without a tokenizer: for the envelopes, whose size is promised. The weights
// are measured on o200k (token-bound.test.ts checks them): the worst random words, digits and signs, the worst character
// of each block. Prose takes about a third of the bound, JSON two thirds.

/** Tokens of a letter in a word made of common pairs of letters: 0.5 at most, 0.25 in prose. */
const LETTER = 0.48;
/** More for each pair that is not common: letters that never stand together take 0.69 each. */
const RARE_PAIR = 0.28;
/** Pairs that most English words and names in programs are made of. */
const COMMON_PAIRS: ReadonlySet<string> = new Set(
  (
    "thheineranreonatendtiesorteofeditalarsttontngsehaasouiolevecomedehiriroicneearacelichllbemasiomurcaeltalansdifoho" +
    "peecprnoctusacotiltrlyncetutsssorsunlowageiewheewiemadolrtpowenaulnitsmoowpaimmiaishirsuidosiviaamficiviplightuev" +
    "ldrympfeblabghtyopwosaayexkefrooavagifapgrodbosprddoucbueiovbyrmepttfaefcurnscgidayocrclduga"
  ).match(/../g),
);
/** A capital behind a small letter begins another token. */
const TURN = 0.9;
/** Tokens of a sign in a run of them. */
const SIGN = 0.9;
/** Tokens of a space before a word: the two are one token as a rule. */
const SPACE = 0.2;
/** Words of the shape grammar, each one token. */
const WORDS: ReadonlySet<string> = new Set(
  "array of object keys string number boolean null mixed text lines csv rows columns jsonl more".split(" "),
);

/** Signs between words of JSON that stands in a JSON string, as often as not: their tokens, as counted. */
const SIGNS: ReadonlyMap<string, number> = new Map([
  ...['\\"', '{\\"', '\\":', '\\":\\"', '\\",\\"', ',\\"', '\\":{\\"', '\\"]', "://"].map((run) => [run, 1] as const),
  ...['[{\\"', '\\":[', '},{\\"', '],\\"', '\\"}', '},\\"'].map((run) => [run, 2] as const),
  ...['\\":[{\\"', '\\"},{\\"', '\\"],\\"', '\\":[\\"', '\\"},\\"'].map((run) => [run, 3] as const),
]);

const PIECES = /[A-Za-z]+|[0-9]+| (?=[A-Za-z])| +|[!-/:-@[-`{-~]+|[\s\S]/gu;

/** An upper bound of the tokens of a text. */
export function tokenBound(text: string): number {
  let tokens = 0;
  for (const { 0: piece, index } of text.matchAll(PIECES))
    tokens += boundOf(piece, isLetter(text.charCodeAt(index + 1)));
  return Math.ceil(tokens);
}

function boundOf(piece: string, isBeforeWord: boolean): number {
  const code = piece.codePointAt(0)!;
  if (code > 0x7f) return boundOfChar(code);
  if (isLetter(code)) return boundOfWord(piece);
  if (code >= 0x30 && code <= 0x39) return Math.ceil(piece.length / 3);
  if (code === 0x20) return isBeforeWord ? SPACE : 1 + piece.length / 16;
  return SIGNS.get(piece) ?? Math.max(1, SIGN * piece.length);
}

// By codes: an envelope is weighed some ten times until it fits, most often in a process that has just begun.
const isSmall = (code: number): boolean => code >= 0x61 && code <= 0x7a;
const isCapital = (code: number): boolean => code >= 0x41 && code <= 0x5a;
const isLetter = (code: number): boolean => isSmall(code) || isCapital(code);

function boundOfWord(word: string): number {
  if (WORDS.has(word)) return 1;
  let tokens = LETTER * word.length;
  for (let i = 1; i < word.length; i++) {
    if (isSmall(word.charCodeAt(i - 1)) && isCapital(word.charCodeAt(i))) tokens += TURN;
    else if (!COMMON_PAIRS.has(word.slice(i - 1, i + 1))) tokens += RARE_PAIR;
  }
  return Math.max(1, tokens);
}

/** Ranges of code points whose worst character takes two tokens. Where nothing is said it is three, four past U+FFFF. */
const TWO: readonly (readonly [from: number, to: number])[] = [
  [0x80, 0x7ff],
  [0x900, 0xfbf],
  [0x1e00, 0x1f7f],
  [0x1fc0, 0x233f],
  [0x2440, 0x26bf],
  [0x2700, 0x27bf],
  [0x3000, 0x317f],
  [0x4e00, 0x5d3f],
  [0x5dc0, 0x6abf],
  [0x6b00, 0x877f],
  [0x8840, 0x977f],
  [0x97c0, 0x9bbf],
];

function boundOfChar(code: number): number {
  if (TWO.some(([from, to]) => code >= from && code <= to)) return 2;
  return code <= 0xffff || (code >= 0x1f300 && code <= 0x1faff) ? 3 : 4;
}
