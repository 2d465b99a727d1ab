// JSON as a tree and as laid-out text, from the byte index that the server makes of it. A value is named by the byte at
// which it begins. `GET /api/artifacts/:pointer/json` rows, `…/json/text` lines, `…/json/find`, `…/json/location`,
// `…/json/below`.
import { z } from "zod";
import { KINDS } from "#lib/kernel/json-index/json-index.ts";
import { MARKS } from "#lib/kernel/json-index/tree-rows.ts";

const byte = z.coerce.number().int().min(0).max(0xffffffff);

export const jsonRow = z.object({
  at: z.number(),
  /** One past its last byte; null while the index is being made. */
  end: z.number().nullable(),
  kind: z.enum(KINDS),
  /** Which child of its parent it is, from 0. */
  ordinal: z.number(),
  /** 1 for a value of the document itself, 0 for what holds several. */
  depth: z.number(),
  key: z.string().nullable(),
  /** Characters of a key that is shown cut. */
  keyChars: z.number().nullable(),
  text: z.string(),
  /** Characters of a text that is shown cut. */
  chars: z.number().nullable(),
  count: z.number(),
  lines: z.number(),
  marks: z.array(z.enum(MARKS)),
  double: z.string().nullable(),
});
export type JsonRow = z.infer<typeof jsonRow>;

/** What is known of the whole document. */
export const jsonState = z.object({
  /** False while the index is being made: then counts and ends are those of what has been read. */
  isWhole: z.boolean(),
  readBytes: z.number(),
  sizeBytes: z.number(),
  /** Values of the document: one, or those of a stream. */
  values: z.number(),
  isStream: z.boolean(),
  /** Lines when laid out. */
  lines: z.number(),
  /** Where it stops being JSON, or the first line that is none. */
  broken: z.object({ byte: z.number(), line: z.number(), column: z.number() }).nullable(),
  counters: z.object({
    sameKey: z.number(),
    inexact: z.number(),
    notUtf8: z.number(),
    loneSurrogate: z.number(),
    brokenLines: z.number(),
  }),
  /** False when so much is odd that the rest was not counted. */
  isTallied: z.boolean(),
});
export type JsonState = z.infer<typeof jsonState>;

/** Children of the value that begins at `at`; without it those of the document, or of its only value. */
export const jsonRowsQuery = z.object({
  at: byte.optional(),
  from: byte.default(0),
  count: z.coerce.number().int().min(1).max(500).default(200),
});
export const jsonRowsAnswer = z.object({ node: jsonRow, rows: z.array(jsonRow), state: jsonState });

export const jsonTextQuery = z.object({
  /** From 0. */
  from: byte.default(0),
  count: z.coerce.number().int().min(1).max(500).default(200),
});
export const jsonTextLine = z.object({
  at: z.number(),
  kind: z.enum(KINDS),
  indent: z.number(),
  key: z.string().nullable(),
  text: z.string(),
  chars: z.number().nullable(),
  part: z.enum(["whole", "open", "close"]),
  lines: z.number(),
  count: z.number(),
  comma: z.boolean(),
});
export type JsonTextLine = z.infer<typeof jsonTextLine>;
export const jsonTextAnswer = z.object({ lines: z.array(jsonTextLine), state: jsonState });

/** A value with those around it, outermost first; each but the last is to be unfolded to see it. */
export const jsonLocation = z.object({
  /** As a jq program; null for one that would be longer than a program may be. */
  path: z.string().nullable(),
  chain: z.array(jsonRow),
  /** The line in which it begins when laid out, from 0. */
  line: z.number(),
});
export type JsonLocation = z.infer<typeof jsonLocation>;

export const jsonLocationQuery = z.object({
  /** `.items[3]["a b"]`, or `@` and the byte at which the value begins. */
  path: z.string().min(1).max(8000).optional(),
  at: byte.optional(),
});
export const jsonLocationAnswer = z.object({
  location: jsonLocation.nullable(),
  /** False when the path goes on where the document does not: the location is as far as there is any. */
  isFound: z.boolean(),
});

/** `way` next: the first token at `from` or after it; back: the last before it; count: how many there are. */
export const jsonFindQuery = z.object({
  q: z.string().min(1).max(1000),
  exact: z.stringbool().default(false),
  from: byte.default(0),
  way: z.enum(["next", "back", "count"]).default("next"),
});
export const jsonFindAnswer = z.object({
  hit: z
    .object({
      at: z.number(),
      end: z.number(),
      isKey: z.boolean(),
      location: jsonLocation,
      /** Which of all it is, from 1; null when they are not counted yet, or are too many. */
      nth: z.number().nullable(),
    })
    .nullable(),
  /** Where it was counted. */
  total: z.number().nullable(),
  /** There are more than `total`. */
  isCapped: z.boolean(),
});
export type JsonFindAnswer = z.infer<typeof jsonFindAnswer>;

/** `at` -1: of all values of a stream. */
export const jsonBelowQuery = z.object({ at: z.coerce.number().int().min(-1).max(0xffffffff) });
export const jsonBelowAnswer = z.object({
  containers: z.array(
    z.object({
      at: z.number(),
      parent: z.number(),
      ordinal: z.number(),
      count: z.number(),
      key: z.string().nullable(),
      keyChars: z.number().nullable(),
    }),
  ),
  /** False when there are more than are unfolded at a time. */
  isWhole: z.boolean(),
});
