// What a reader of JSON tells, and whom.

export const KINDS = ["null", "boolean", "number", "string", "object", "array"] as const;
export type Kind = 0 | 1 | 2 | 3 | 4 | 5;
export const [NULL, BOOLEAN, NUMBER, STRING, OBJECT, ARRAY] = [0, 1, 2, 3, 4, 5] as const;

/** What stands in a string: backslashes, some of them before a u, bytes that are no ASCII. */
export const [ESCAPE, UNICODE_ESCAPE, HIGH] = [1, 2, 4] as const;

/** Bytes of a string without its quotes, or of a number. `length` is the whole one where a part was kept. */
export type Token = {
  readonly bytes: Uint8Array;
  readonly from: number;
  readonly to: number;
  readonly length: number;
  readonly marks: number;
};

/** What a reader of values tells, be they JSON or a table's rows. A token holds until the call returns. */
export type ValueSink = {
  begin(isArray: boolean): void;
  end(): void;
  key(token: Token): void;
  string(token: Token): void;
  number(token: Token): void;
  word(text: Word): void;
};

export type Word = "null" | "true" | "false";

/** Where the first of its bytes stands in the text. */
export type PlacedToken = Token & { readonly at: number };

/** The same with its positions: of an opening bracket, and one past a closing one or a word. */
export type JsonSink = {
  begin(isArray: boolean, at: number): void;
  end(to: number): void;
  key(token: PlacedToken): void;
  string(token: PlacedToken): void;
  number(token: PlacedToken): void;
  word(text: Word, to: number): void;
};

const NOTHING = (): void => undefined;
/** For a reader that is asked only whether it is JSON, and to where. */
export const NOBODY: ValueSink = {
  begin: NOTHING,
  end: NOTHING,
  key: NOTHING,
  string: NOTHING,
  number: NOTHING,
  word: NOTHING,
};

/** Bytes of a string or a number that are kept; of longer ones only the length is known besides. */
export const KEPT_BYTES = 1024;
