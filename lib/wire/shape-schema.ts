// `GET /api/artifacts/:pointer/shape`: what a JSON document, JSON lines or a table are made of, as a list of paths.
import { z } from "zod";

export const shapeType = z.enum(["null", "boolean", "number", "string", "object", "array"]);

const shapeValue = z.object({
  /** As a person reads it: strings without quotes, secrets masked. */
  text: z.string(),
  type: shapeType,
  /** It is longer, or a part of it is masked. */
  isCut: z.boolean(),
  count: z.number(),
});
export type ShapeValue = z.infer<typeof shapeValue>;

export const shapeNode = z.object({
  depth: z.number(),
  /** Its index in the list, -1 for the root. */
  parent: z.number(),
  /** `value`: any value of an object that is told as a map. */
  step: z.enum(["root", "key", "element", "value"]),
  key: z.string(),
  /** A jq program that gives its values; of a table it says where they stand. */
  path: z.string(),
  /** Most frequent first. */
  types: z.array(z.object({ type: shapeType, count: z.number() })).readonly(),
  count: z.number(),
  /** A key: in how many objects it stands, of how many that could have it. */
  owners: z.number(),
  of: z.number(),
  /** Times that a key came again in one object: jq sees the last. */
  repeated: z.number(),
  /** All different values, most frequent first; empty when there were more than 20, and then a few of them. */
  values: z.array(shapeValue).readonly(),
  examples: z.array(shapeValue).readonly(),
  /** Of the numbers, as written. */
  least: z.string().nullable(),
  most: z.string().nullable(),
  /** Of the arrays. */
  lengths: z.object({ min: z.number(), max: z.number() }).nullable(),
  /** Different keys of the objects, null where there are none. */
  keys: z.number().nullable(),
  /** Objects with over 200 different keys: their values are counted at one path. */
  isMap: z.boolean(),
  /** There are more keys than were told apart. */
  hasMoreKeys: z.boolean(),
  /** Keys that have no path in the list. */
  keysLeftOut: z.number(),
  /** Values lie below it that were not followed. */
  isTooDeep: z.boolean(),
});
export type ShapeNode = z.infer<typeof shapeNode>;

export const shapeAnswer = z.object({
  kind: z.enum(["json", "lines", "table"]),
  /** Documents, lines, rows that were read to their end. */
  values: z.number(),
  /** Lines that are no JSON, rows that have not as many cells as the header; the first of them, from 1. */
  broken: z.number(),
  firstBroken: z.number().nullable(),
  sizeBytes: z.number(),
  readBytes: z.number(),
  /** Why reading ended before the text did. */
  stopped: z.enum(["deadline", "size", "broken"]).nullable(),
  /** The byte at which a document stops being JSON. */
  brokenAt: z.number().nullable(),
  repeatedKeys: z.number(),
  notFollowed: z.number(),
  /** More paths were found than are told, or deeper ones. */
  isFull: z.boolean(),
  isTooDeep: z.boolean(),
  ms: z.number(),
  nodes: z.array(shapeNode).readonly(),
});
export type ShapeAnswer = z.infer<typeof shapeAnswer>;
