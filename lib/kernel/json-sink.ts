// What a reader of JSON tells, and whom.

export const KINDS = ["null", "boolean", "number", "string", "object", "array"] as const;
export type Kind = 0 | 1 | 2 | 3 | 4 | 5;
export const [NULL, BOOLEAN, NUMBER, STRING, OBJECT, ARRAY] = [0, 1, 2, 3, 4, 5] as const;

/** Bytes of a string without its quotes, or of a number. `length` is the whole one where a part was kept. */
export type Token = {
  readonly bytes: Uint8Array;
  readonly from: number;
  readonly to: number;
  readonly length: number;
  readonly hasEscape: boolean;
};

/** What a reader tells of a text. A token holds until the call returns. */
export type JsonSink = {
  begin(isArray: boolean): void;
  end(): void;
  key(token: Token): void;
  string(token: Token): void;
  number(token: Token): void;
  word(text: "null" | "true" | "false"): void;
};

/** Bytes of a string or a number that are kept; of longer ones only the length is known besides. */
export const KEPT_BYTES = 1024;
