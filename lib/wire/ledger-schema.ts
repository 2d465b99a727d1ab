// What filled a session's context: the ledger call by call and item by item, where it blew up, who was to blame, and the
// sentence that says so. The answer of `plimsoll load`, of GET /api/sessions/:id/ledger and of the Load tab.
import { z } from "zod";
import { origin } from "./common-schema.ts";
import { cost } from "./cost-schema.ts";
import { BASE_PARTS } from "#lib/kernel/load/base.ts";
import { CACHE_BREAK_CAUSES } from "#lib/kernel/load/cache-breaks.ts";
import { DETECTORS } from "#lib/kernel/load/culprits/culprit-types.ts";
import { STATES } from "#lib/kernel/load/compaction-state.ts";
import { FAMILIES, GRADES } from "#lib/kernel/load/ledger-types.ts";

const kind = z.enum(["prefix", "memory", "result", "call", "reasoning", "assistant", "user", "unattributed"]);
export type ItemKind = z.infer<typeof kind>;

/** Why the provider's cache was lost at a call: less than half of the last prompt was read from it. */
export const cacheBreak = z.object({
  cause: z.enum(CACHE_BREAK_CAUSES),
  /** A sentence: "No call for 37 minutes: the cache had ended." */
  text: z.string(),
  /** Tokens that were sent again and would have been read. */
  tokens: z.number(),
  usd: z.number().nullable(),
});
export type CacheBreak = z.infer<typeof cacheBreak>;

/** `sum` = `prefix` + `visible` + `unattributed`, and equals `reported` wherever there is one. */
export const ledgerCall = z.object({
  call: z.number(),
  seq: z.number(),
  /** "main", or the sub-agent whose run this session is. */
  lane: z.string(),
  epoch: z.number(),
  model: z.string().nullable(),
  family: z.enum(FAMILIES),
  reported: z.number().nullable(),
  sum: z.number(),
  prefix: z.number(),
  visible: z.number(),
  unattributed: z.number(),
  growthReported: z.number().nullable(),
  growthEstimated: z.number().nullable(),
  cacheRead: z.number(),
  cacheWrite: z.number(),
  /** Part of cacheWrite: written for one hour. */
  cacheWrite1h: z.number(),
  webSearches: z.number(),
  uncached: z.number(),
  /** Copied from the session that this one goes on from, and paid for there. */
  inherited: z.boolean(),
  /** Dollars of the call's input, whoever paid for it. */
  usd: z.number().nullable(),
  cacheBreak: cacheBreak.nullable(),
});
export type LedgerCallRow = z.infer<typeof ledgerCall>;

export const ledgerItem = z.object({
  /** Null for what is not in the file. */
  seq: z.number().nullable(),
  kind,
  tool: z.string().nullable(),
  label: z.string(),
  /** First call that was sent it, and first that was not any more (null: it stayed to the end). */
  enteredAt: z.number(),
  leftAt: z.number().nullable(),
  /** What took it out, where the log says it. */
  leftBy: z.enum(["compacted", "cleared", "rewound"]).nullable(),
  estimated: z.number(),
  tokens: z.number(),
  plusMinus: z.number(),
  grade: z.enum(GRADES),
  basis: z.enum(["reported", "counted", "estimated"]),
  /** How `tokens` is known, in the words of every page. */
  origin,
  /** What a tokenizer alone counts of its text; null for what is not in the file. */
  textTokens: z.number().nullable(),
  callsResident: z.number(),
  lifetimeTokens: z.number(),
  lifetimeUsd: z.number().nullable(),
});
export type LedgerItemRow = z.infer<typeof ledgerItem>;

const part = z.object({
  seq: z.number().nullable(),
  kind,
  label: z.string(),
  tokens: z.number(),
});

/** One call where the context was in trouble, with what made it up since its epoch began. */
export const blowUp = z.object({
  call: z.number(),
  seq: z.number(),
  kind: z.enum(["near-line", "compaction", "overflow", "jump"]),
  /** Prompt tokens there; of a jump: what it grew by. */
  tokens: z.number(),
  /** The compaction's, where it was one. */
  trigger: z.string().nullable(),
  /** Hidden prefix, the ten largest items, the rest and what is unattributed: they sum to the prompt of `call`. */
  waterfall: z.object({
    prefix: z.number(),
    items: z.array(part),
    rest: z.number(),
    restItems: z.number(),
    unattributed: z.number(),
  }),
});
export type BlowUp = z.infer<typeof blowUp>;

const outcome = z.object({
  peak: z.number(),
  promptTokens: z.number(),
  usd: z.number().nullable(),
  compactions: z.number(),
});

export const culprit = z.object({
  detector: z.enum(DETECTORS),
  seq: z.number().nullable(),
  seqs: z.array(z.number()),
  kind,
  label: z.string(),
  tool: z.string().nullable(),
  /** Call numbers: the first that carried it and the last. */
  fromCall: z.number(),
  toCall: z.number(),
  tokens: z.number(),
  plusMinus: z.number(),
  grade: z.enum(GRADES),
  callsResident: z.number(),
  lifetimeTokens: z.number(),
  lifetimeUsd: z.number().nullable(),
  avoidableTokens: z.number(),
  /** Of `lifetimeUsd`; never more. */
  avoidableUsd: z.number().nullable(),
  /** Some calls have no price: what could have been avoided is more. */
  isPartial: z.boolean(),
  /** What else would have been avoided: a lower tier of prices for the rest, compactions. No part of the two above. */
  also: z.array(z.object({ what: z.enum(["tier", "compaction"]), count: z.number(), usd: z.number().nullable() })),
  offPeak: z.number(),
  confidence: z.number(),
  /** Call number at which the model last used it; null when it never did. */
  lastUsed: z.number().nullable(),
  fix: z.string(),
  whatIf: outcome,
});
export type CulpritRow = z.infer<typeof culprit>;

/** The culprits alone: of 10,000 calls the whole ledger weighs 12 MB. */
export const culpritsAnswer = z.object({ culprits: z.array(culprit) });

/** The verdict in parts: a part with `seq` or `call` is a link to that event or call, `strong` ones are its figures. */
export const verdictClause = z.object({
  /** 0: what happened and what filled it; 1: the most expensive item; 2: what to do first. */
  line: z.number(),
  text: z.string(),
  strong: z.boolean(),
  seq: z.number().nullable(),
  call: z.number().nullable(),
});
export type VerdictClause = z.infer<typeof verdictClause>;

/** A clearing of results by the agent itself, with what the ledger had for it. */
export const clearing = z.object({
  seq: z.number(),
  call: z.number().nullable(),
  predicted: z.number(),
  /** What the what-if replay of the same rule takes off that prompt; null where it has nothing to clear. */
  replayed: z.number().nullable(),
  reported: z.number().nullable(),
  agentSaid: z.number().nullable(),
});

/** What the hidden prefix may hold, by requests of another session. It explains a weight, and is in no sum and no item. */
export const inferredPrefix = z.object({
  from: z.object({
    session: z.string(),
    title: z.string(),
    version: z.string().nullable(),
    isSameVersion: z.boolean(),
    /** The session's own later requests. */
    isOwn: z.boolean(),
  }),
  /** Tokens of the hidden prefix. */
  known: z.number(),
  /** Of all parts; over `known` where not all of them can have been sent. */
  tokens: z.number(),
  parts: z.array(z.object({ kind: z.enum(["system", "tool"]), name: z.string(), tokens: z.number() })),
});
export type InferredPrefixRow = z.infer<typeof inferredPrefix>;

export const ledgerAnswer = z.object({
  sessionId: z.string(),
  title: z.string(),
  window: z.object({ tokens: z.number().nullable(), origin: z.string().nullable() }),
  loadLine: z.number().nullable(),
  loadLineOrigin: z.string().nullable(),
  calls: z.array(ledgerCall),
  items: z.array(ledgerItem),
  blowUps: z.array(blowUp),
  culprits: z.array(culprit),
  /** Culprits beyond the fifty that are listed. */
  culpritsLeftOut: z.number(),
  /** What they could have saved together, the same turns assumed: at most what was spent, or sent. `isPartial`: some have no price. */
  avoidable: z.object({ usd: z.number().nullable(), tokens: z.number(), isPartial: z.boolean() }),
  /** How the session fared, and the words for it. */
  state: z.enum(STATES),
  stateText: z.string(),
  /** System prompt, tools, skills and memory files: their share of everything sent, and what of them is known. */
  base: z.object({
    share: z.number(),
    sent: z.number(),
    parts: z.array(
      z.object({
        part: z.enum(BASE_PARTS),
        label: z.string(),
        seq: z.number().nullable(),
        tokens: z.number(),
        sent: z.number(),
        usd: z.number().nullable(),
      }),
    ),
  }),
  /** Null where nothing is hidden, or no session of the archive says what it could be. */
  inferredParts: inferredPrefix.nullable(),
  /** The call that the verdict begins with; null when it names none. */
  worst: z.number().nullable(),
  /** The sentence, as plain text. */
  verdict: z.string(),
  verdictClauses: z.array(verdictClause),
  /** What the session cost, as its summary says it. Items and culprits are in dollars of its own calls' input. */
  cost,
  /** The part of that which its own prompts cost; null when no call has a price. */
  inputUsd: z.number().nullable(),
  /** Σ |unattributed| over Σ prompt tokens; null without reported calls. */
  unattributedShare: z.number().nullable(),
  /** Σ |growthEstimated − growthReported| over Σ |growthReported|, before reconciliation; null without transitions. */
  growthError: z.number().nullable(),
  transitions: z.number(),
  /** Clearings of tool results by the agent itself, with what the ledger had for them. */
  clearings: z.array(clearing),
  /** Background counting still has texts of this session to do: the figures become better. */
  counting: z.boolean(),
  version: z.string(),
});
export type LedgerAnswer = z.infer<typeof ledgerAnswer>;
