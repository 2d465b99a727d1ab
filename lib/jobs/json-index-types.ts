// What is asked of the index of a JSON document, and what it answers; lib/wire/json-tree-schema.ts has the same as schemas.
import type { OddityCounters } from "#lib/kernel/json-index/json-index.ts";
import type { Container, Row } from "#lib/kernel/json-index/tree-rows.ts";
import type { TextLine } from "#lib/kernel/json-index/text-lines.ts";

export type JsonFile = {
  readonly digest: string;
  readonly path: string;
  /** A value a line. */
  readonly isLines: boolean;
};

export type JsonAsk =
  | { readonly what: "rows"; readonly at?: number; readonly from: number; readonly count: number }
  | { readonly what: "text"; readonly from: number; readonly count: number }
  | { readonly what: "location"; readonly path?: string; readonly at?: number }
  | { readonly what: "below"; readonly at: number }
  | {
      readonly what: "find";
      readonly q: string;
      readonly exact: boolean;
      readonly from: number;
      readonly way: "next" | "back" | "count";
    };

export type JsonState = {
  readonly isWhole: boolean;
  readonly readBytes: number;
  readonly sizeBytes: number;
  readonly values: number;
  readonly isStream: boolean;
  readonly lines: number;
  readonly broken: { readonly byte: number; readonly line: number; readonly column: number } | null;
  readonly counters: OddityCounters;
  readonly isTallied: boolean;
};

export type JsonLocation = { readonly path: string | null; readonly chain: readonly Row[]; readonly line: number };

export type JsonAnswers = {
  readonly rows: { readonly node: Row; readonly rows: readonly Row[]; readonly state: JsonState };
  readonly text: { readonly lines: readonly TextLine[]; readonly state: JsonState };
  readonly location: { readonly location: JsonLocation | null; readonly isFound: boolean };
  readonly below: { readonly containers: readonly Container[]; readonly isWhole: boolean };
  readonly find: {
    readonly hit: {
      readonly at: number;
      readonly end: number;
      readonly isKey: boolean;
      readonly location: JsonLocation;
      readonly nth: number | null;
    } | null;
    readonly total: number | null;
    readonly isCapped: boolean;
  };
};
export type JsonAnswer = JsonAnswers[JsonAsk["what"]];

export type JsonRequest<Ask extends JsonAsk = JsonAsk> = JsonFile & {
  readonly ask: Ask;
  readonly signal?: AbortSignal;
};
export type JsonJob = <Ask extends JsonAsk>(request: JsonRequest<Ask>) => Promise<JsonAnswers[Ask["what"]]>;
