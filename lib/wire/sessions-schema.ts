// Sessions: the summary that `plimsoll show` prints, and the rows and filters of the sessions page.
import { z } from "zod";
import { DETECTORS } from "#lib/kernel/load/culprits/culprit-types.ts";
import { STATES } from "#lib/kernel/load/compaction-state.ts";
import { origin, page, usage } from "./common-schema.ts";
import { cost } from "./cost-schema.ts";

export const lineageItem = z.object({
  id: z.string(),
  /** continues, continued: one file was made of the other to carry the session on. */
  relation: z.enum(["parent", "child", "origin", "copy", "older copy", "continues", "continued"]),
  events: z.number(),
  /** Model calls that both hold: a side question repeats its parent's under other record ids. */
  calls: z.number().optional(),
});

/** A version of a source file that was truncated, rotated or rewritten since: what the file no longer holds. */
export const earlierVersion = z.object({
  id: z.string(),
  /** From 1, the first that was replaced. */
  number: z.number(),
  records: z.number(),
  replacedAt: z.string().nullable(),
});

const takeover = z.object({ node: z.string(), inMs: z.number() });
export type Takeover = z.infer<typeof takeover>;

export const sessionSummary = z.object({
  id: z.string(),
  nativeId: z.string(),
  format: z.string(),
  agent: z.string(),
  agentVersion: z.string().nullable(),
  model: z.string().nullable(),
  title: z.string(),
  cwd: z.string().nullable(),
  parentId: z.string().nullable(),
  parentToolCallSeq: z.number().nullable(),
  relation: z.string(),
  /** `progress`: a sub-agent's run as its parent's progress lines tell it; its own file is not in the archive. */
  from: z.enum(["progress"]).nullable(),
  startedAt: z.string().nullable(),
  endedAt: z.string().nullable(),
  /** idle, running (a line was written in the last minute), gone (its source file is no longer there). */
  status: z.enum(["idle", "running", "gone"]),
  turns: z.number(),
  events: z.record(z.string(), z.number()),
  /** Parsed records of the source file, glued ones singly. */
  records: z.number(),
  modelCalls: z.object({ own: z.number(), inherited: z.number() }),
  usage,
  usageWithInherited: usage,
  lostCalls: usage.nullable(),
  lineage: z.array(lineageItem),
  /** Earlier versions of its file, the latest first. */
  earlierVersions: z.array(earlierVersion),
  /** Set for an earlier version: the session of what the file holds now, and when it was replaced. */
  earlierOf: z.object({ id: z.string().nullable(), number: z.number(), replacedAt: z.string().nullable() }).nullable(),
  usageQuality: z.enum(["exact", "lower-bound", "partial", "none"]),
  toolCalls: z.number(),
  hostedToolCalls: z.number(),
  toolResults: z.number(),
  callsWithoutResult: z.number(),
  resultsWithoutCall: z.number(),
  toolErrors: z.number(),
  compactions: z.number(),
  /** Compactions that the agent made by itself. */
  automaticCompactions: z.number(),
  /** Refused, compacted by its agent, near its load line (from 80 %), fine; null where nothing says how full it was. */
  state: z.enum(STATES).nullable(),
  artifacts: z.number(),
  peak: z.object({
    tokens: z.number().nullable(),
    origin,
    call: z.number().nullable(),
    window: z.number().nullable(),
    /** The input budget that the load line shows, and how it is known. */
    loadLine: z.number().nullable(),
    loadLineOrigin: z.string().nullable(),
  }),
  /** The context that the last model call was sent. */
  last: z.object({ tokens: z.number().nullable(), call: z.number().nullable() }),
  cost,
  quality: z.array(z.string()),
  /** Marks of a person on the session itself. */
  starred: z.boolean(),
  labels: z.array(z.string()),
  note: z.string().nullable(),
  demo: z.boolean(),
  /** It takes writes: its log is in this archive and nowhere else. */
  held: z.boolean(),
  /** Its agent put the file aside: the session began anew, or was deleted. */
  archived: z.enum(["reset", "deleted"]).nullable(),
  source: z.object({ path: z.string(), sizeBytes: z.number(), gone: z.boolean() }).nullable(),
  children: z.number(),
  /** Changes when anything of the session does; the same as in its outline and load. */
  version: z.string(),
  /** Set while the node that holds the session does not answer: this is what is packed, until another node takes over. */
  takeover: takeover.optional(),
});
export type SessionSummary = z.infer<typeof sessionSummary>;

/** The heaviest tool output of a session: how long it stayed, and what that came to. */
export const heavyOutput = z.object({
  seq: z.number(),
  callSeq: z.number().nullable(),
  toolName: z.string(),
  label: z.string(),
  bytes: z.number(),
  tokens: z.number(),
  origin,
  textTokens: z.number(),
  /** First model call that was sent it, and how many calls were. */
  enteredAt: z.number(),
  callsResident: z.number(),
  lifetimeTokens: z.number(),
  artifact: z.string().nullable(),
});
export type HeavyOutput = z.infer<typeof heavyOutput>;

/** What loaded a session most among what could have been avoided. */
export const sessionCulprit = z.object({
  detector: z.enum(DETECTORS),
  seq: z.number().nullable(),
  tool: z.string().nullable(),
  label: z.string(),
  tokens: z.number(),
  callsResident: z.number(),
  avoidableUsd: z.number().nullable(),
  isPartial: z.boolean().default(false),
  avoidableTokens: z.number(),
  fix: z.string(),
});
export type SessionCulprit = z.infer<typeof sessionCulprit>;

/** Prompts and outputs of a session's calls in the last minutes. */
const burn = z.object({
  tokensPerMinute: z.number(),
  tokens: z.number(),
  calls: z.number(),
  /** From 1 to 5: what the tokens are divided by. */
  minutes: z.number(),
  isLowerBound: z.boolean(),
  origin,
});

export const sessionRow = sessionSummary
  .pick({
    id: true,
    format: true,
    agent: true,
    model: true,
    title: true,
    cwd: true,
    parentId: true,
    relation: true,
    startedAt: true,
    endedAt: true,
    status: true,
    turns: true,
    compactions: true,
    automaticCompactions: true,
    state: true,
    artifacts: true,
    peak: true,
    last: true,
    cost: true,
    starred: true,
    labels: true,
    note: true,
    demo: true,
    held: true,
    archived: true,
    children: true,
    toolErrors: true,
    earlierOf: true,
  })
  .extend({
    calls: z.number(),
    /** The session that it goes on from, and the first prompt as it was predicted and as it was. */
    continues: z
      .object({ id: z.string(), title: z.string(), predicted: z.number(), real: z.number().nullable() })
      .nullable(),
    /** The newest session that goes on from it. */
    continuedIn: z.string().nullable(),
    /** Load over time as a share of the load line, at most 64 points; null where nothing was reported. */
    sparkline: z.array(z.number()).nullable(),
    top: heavyOutput.nullable(),
    /** Null: nothing stands out, or not judged yet. */
    culprit: sessionCulprit.nullable(),
    /** Tokens a minute that a running session sends and receives; null for others, and without a recent call. */
    burn: burn.nullable(),
    /** What all culprits of the session could have saved; null until it was judged. `isPartial`: some have no price. */
    avoidable: z
      .object({ usd: z.number().nullable(), tokens: z.number(), isPartial: z.boolean().default(false) })
      .nullable(),
    /** The first event that holds what was searched for. */
    hit: z.number().nullable(),
    /** Text around the hits of the search, with `\u0002…\u0003` around each hit. */
    snippet: z.string().nullable(),
  });
export type SessionRow = z.infer<typeof sessionRow>;

/** What sessions come to: their own calls, as inherited ones are counted in the session that made them. */
const sums = z.object({
  sessions: z.number(),
  calls: z.number(),
  /** All prompts together. */
  tokens: z.number(),
  /** Null where no call has a price. */
  usd: z.number().nullable(),
  /** The true cost is more: a call has no price, no usage, or only a first count of its output. */
  isPartial: z.boolean(),
});
export type SessionSums = z.infer<typeof sums>;

export const sessionGroup = sums.extend({
  /** The folder; empty where sessions name none. */
  project: z.string(),
});
export type SessionGroup = z.infer<typeof sessionGroup>;

export const sessionSort = z.enum([
  "active",
  "started",
  "title",
  "turns",
  "calls",
  "peak",
  "compactions",
  "artifacts",
  "cost",
  "avoidable",
]);

export const sessionsQuery = z.object({
  q: z.string().max(1000).default(""),
  format: z.string().max(100).optional(),
  project: z.string().max(4096).optional(),
  model: z.string().max(200).optional(),
  state: z.enum([...STATES, "running"]).optional(),
  /** The older name of the same: `over` is refused now. */
  badge: z.enum(["over", "near", "running"]).optional(),
  since: z.enum(["day", "week", "month"]).optional(),
  artifacts: z.enum(["1"]).optional(),
  /** Whose file was deleted and is kept here; or is deleted by its agent within 7 days. */
  file: z.enum(["deleted", "soon"]).optional(),
  /** Sub-agents of this session instead of the top level. */
  parent: z.string().max(400).optional(),
  /** `active`: by the last event. */
  sort: sessionSort.default("started"),
  /** Running sessions stand first, whatever is sorted by; or those with the words of `q` in their titles, whole words before beginnings. */
  pin: z.enum(["running", "title"]).optional(),
  /** Sessions of one project stand together, the last active project first. */
  group: z.enum(["project"]).optional(),
  /** The answer has the sums of the whole list, and of each project where it is grouped by them. */
  sums: z.enum(["1"]).optional(),
  dir: z.enum(["asc", "desc"]).default("desc"),
  ...page,
});
export type SessionsQuery = z.infer<typeof sessionsQuery>;

export const sessionsAnswer = z.object({
  sessions: z.array(sessionRow),
  total: z.number(),
  /** Of what the other filters leave; the state filter itself is not among them. */
  counts: z.object({
    all: z.number(),
    refused: z.number(),
    compacted: z.number(),
    near: z.number(),
    fine: z.number(),
    running: z.number(),
  }),
  facets: z.object({
    formats: z.array(z.object({ value: z.string(), label: z.string(), count: z.number() })),
    projects: z.array(z.object({ value: z.string(), count: z.number() })),
    models: z.array(z.object({ value: z.string(), count: z.number() })),
  }),
  /** Of all that is listed, in whatever part; null when not asked for. */
  sums: sums.extend({ subAgents: sums.nullable() }).nullable(),
  /** Projects in the order of a list that is grouped by them; null where it is not, or sums were not asked for. */
  groups: z.array(sessionGroup).nullable(),
  /** Matches of the search, in all sessions. */
  hits: z.number().nullable(),
  /** False: a regular expression was not tried on all events in time, and more sessions may match. */
  isWhole: z.boolean(),
  /** Words of the search that are marked in a title. */
  marked: z.string(),
});
export type SessionsAnswer = z.infer<typeof sessionsAnswer>;
