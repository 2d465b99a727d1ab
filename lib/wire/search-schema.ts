// Search over everything: what is asked, and what comes back.
import { z } from "zod";
import { SEARCH_KINDS } from "#lib/kernel/search/search-fields.ts";

/** Results of one page, at most. */
const MOST = 100;
/** Results that can be paged to. */
const DEEPEST = 1000;

export const searchQuery = z.object({
  q: z.string().max(2000).default(""),
  sort: z.enum(["rank", "newest"]).default("rank"),
  limit: z.coerce.number().int().min(1).max(MOST).default(20),
  offset: z.coerce.number().int().min(0).max(DEEPEST).default(0),
  /** session: the best match of each session. */
  by: z.enum(["match", "session"]).default("match"),
  /** In this session alone: its id, or any name of it. */
  session: z.string().min(1).max(400).optional(),
  /** 0 leaves the counts beside the results out. */
  facets: z.enum(["0", "1"]).default("1"),
});
export type SearchRequest = z.infer<typeof searchQuery>;

export const searchHit = z.object({
  session: z.object({
    id: z.string(),
    title: z.string(),
    format: z.string(),
    agent: z.string(),
    model: z.string().nullable(),
    project: z.string().nullable(),
    startedAt: z.string().nullable(),
  }),
  kind: z.enum(SEARCH_KINDS),
  /** The event; null for a memory item. */
  seq: z.number().nullable(),
  tool: z.string().nullable(),
  at: z.string().nullable(),
  tokens: z.number(),
  isError: z.boolean(),
  /** The stored output that holds the hit, and its line there. */
  artifact: z.string().nullable(),
  line: z.number().nullable(),
  /** Text around the hit, each hit between \u0002 and \u0003; secrets are masked. */
  snippet: z.string(),
});
export type SearchHit = z.infer<typeof searchHit>;

export const searchFacet = z.object({ value: z.string(), label: z.string(), count: z.number() });

export const searchAnswer = z.object({
  hits: z.array(searchHit),
  /** Matches found; `isWhole` false: at least so many. */
  total: z.number(),
  isWhole: z.boolean(),
  /** Sessions that they are in. */
  sessions: z.number(),
  /** rank: all matches are ranked. recent: only the newest are. newest: by date. */
  order: z.enum(["rank", "recent", "newest"]),
  facets: z
    .object({
      agents: z.array(searchFacet),
      projects: z.array(searchFacet),
      models: z.array(searchFacet),
      tools: z.array(searchFacet),
      types: z.array(searchFacet),
    })
    .nullable(),
  /** Of a regular expression: matches that were looked at, of those it could be in. `hasOlder`: `of` are the newest of more. */
  scanned: z.object({ matches: z.number(), of: z.number(), hasOlder: z.boolean(), isWhole: z.boolean() }).nullable(),
  notes: z.array(z.string()),
  /** Sessions that the index has as they are now. */
  index: z.object({ sessions: z.number(), of: z.number() }),
  ms: z.number(),
});
export type SearchAnswer = z.infer<typeof searchAnswer>;
