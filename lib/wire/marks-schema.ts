// Labels, stars and notes that a person gives sessions and events, and searches that are saved under a name.
import { z } from "zod";

const LABEL_CHARS = 60;
const NOTE_CHARS = 4000;

export const markKind = z.enum(["label", "star", "note"]);

/** One label has no comma and no quote, so that it can stand in a query. */
export const labelName = z
  .string()
  .trim()
  .min(1)
  .max(LABEL_CHARS)
  .regex(/^[^",\n]+$/, "may have no comma and no quote");

export const mark = z.object({
  /** The event; null: the session itself. */
  seq: z.number().nullable(),
  kind: markKind,
  /** A label's name, a note's text; empty for a star. */
  value: z.string(),
  at: z.string(),
});
export type Mark = z.infer<typeof mark>;

export const marksAnswer = z.object({ marks: z.array(mark) });
export type MarksAnswer = z.infer<typeof marksAnswer>;

const position = { seq: z.int().min(1).nullable().default(null) };

/** A note replaces the one before, where that still reads `before`; an empty one takes it away. */
export const markRequest = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("label"), value: labelName, on: z.boolean().default(true), ...position }),
  z.strictObject({ kind: z.literal("star"), on: z.boolean().default(true), ...position }),
  z.strictObject({
    kind: z.literal("note"),
    value: z.string().trim().max(NOTE_CHARS),
    before: z.string().max(NOTE_CHARS).optional(),
    ...position,
  }),
]);
export type MarkRequest = z.infer<typeof markRequest>;

export const labelsAnswer = z.object({ labels: z.array(z.object({ name: z.string(), count: z.number() })) });
export type LabelsAnswer = z.infer<typeof labelsAnswer>;

export const savedSearch = z.object({ name: z.string(), query: z.string(), createdAt: z.string() });
export type SavedSearch = z.infer<typeof savedSearch>;
export const searchesAnswer = z.object({ searches: z.array(savedSearch) });
export type SearchesAnswer = z.infer<typeof searchesAnswer>;

/** The same name again has the new query. */
export const saveSearchRequest = z.strictObject({
  name: z.string().trim().min(1).max(80),
  query: z.string().trim().min(1).max(2000),
});
export const dropSearchRequest = saveSearchRequest.pick({ name: true });
