// Tokens. The totals say what a session cost, `last` says how large a call's context was; they differ where a record
// was lost (formats.md §2.3: one file of four has such a gap, 88,404 tokens). A call's usage is `last`, what the totals name
// beyond it is `lost`, so that calls and lost together are the last total exactly.
import type { Draft, RunningTotals } from "#lib/kernel/draft.ts";
import { promptTokens } from "#lib/kernel/draft.ts";
import { variantOf } from "#lib/kernel/load/model-variants.ts";
import { toldBy } from "#lib/kernel/told-call.ts";
import { asObject } from "../json.ts";
import type { Json } from "../json.ts";
import { asName, asWhole, markOf } from "./read.ts";
import type { Origin } from "./event-drafts.ts";
import { callKey, closeCall, remember } from "./codex-state.ts";
import type { CodexState } from "./codex-state.ts";
import { combine, isBelow, isEmpty, isSame, tokensOf, usageOf } from "./token-counts.ts";
import type { Tokens } from "./token-counts.ts";

// A count follows its response at once; 16 are those of compactions and of work beside it.
const RECORDED = 16;
const RESPONSES = 64;

export const TOTALS_RESTART = "The session's token totals restart midway, so they are not compared.";

type CallDraft = Extract<Draft, { kind: "call" }>;

export type Count = {
  readonly drafts: Draft[];
  /** Size of the context that a compaction left, when this record tells it. */
  readonly contextAfter: number | null;
};

/** A token_count: one model call when its totals have moved. */
export function countTokens(info: Json, origin: Origin, state: CodexState): Count {
  state.window = asWhole(info["model_context_window"]) ?? state.window;
  const last = tokensOf(info["last_token_usage"]);
  const told = tokensOf(info["total_token_usage"]);
  // Without totals a count that comes again, with new limits alone, is known by the model's silence since.
  const isAgain = last !== null && state.justCounted !== null && isSame(state.justCounted, last);
  const total = told ?? (isAgain ? state.total : totalWith(last, state));
  const contextAfter = last !== null && isEmpty(last) && last.total > 0 ? last.total : null;
  if (total === null) return { drafts: [], contextAfter };
  const before = state.total;
  if (before !== null && isSame(total, before)) return { drafts: [], contextAfter };

  const drafts: Draft[] = [];
  state.total = total;
  // A total that is its last call alone has forgotten what was before, also where it is the larger one.
  const isAlone = last !== null && before !== null && !isEmpty(before) && isSame(total, last);
  const restarts = before !== null && (isAlone || total.total < before.total || total.output < before.output);
  const grown = before === null || restarts ? total : combine(total, before, -1);
  const isRecorded = state.recorded.length > 0;
  const recorded = takeRecorded(state, grown, last);
  let surplus: Tokens;
  if (!isRecorded) {
    const usage = last ?? grown;
    if (!isEmpty(usage) && usage.inputUncached >= 0 && usage.cacheRead >= 0) {
      drafts.push(call(usage, origin, state));
      state.justCounted = usage;
    }
    surplus = isEmpty(usage) ? grown : combine(grown, usage, -1);
  } else {
    if (told === null) state.justCounted = last;
    surplus = combine(grown, recorded, -1);
  }
  // A copied history starts with the totals of its parent, a part of a file with those of the part before, and a restart with nothing to
  // compare: no gap can be told there.
  if (restarts) drafts.push(...note(TOTALS_RESTART, state));
  else if (!(before === null && (state.child || state.id === null)) && !(isRecorded && isBelow(surplus)))
    drafts.push(...lost(surplus));
  return { drafts, contextAfter };
}

/**
 * What the totals have grown by, of the responses that were told since. The totals leave some out: those of compactions and of
 * work in the background. They are calls all the same, and take nothing from what the totals name.
 */
function takeRecorded(state: CodexState, grown: Tokens, last: Tokens | null): Tokens {
  const waiting = state.recorded;
  const none = combine(grown, grown, -1);
  let sum = none;
  for (let at = waiting.length - 1; at >= 0; at--) {
    sum = combine(sum, waiting[at]!, 1);
    if (!isSame(sum, grown)) continue;
    state.recorded = [];
    return sum;
  }
  const own = last === null ? -1 : waiting.findIndex((one) => isSame(one, last));
  state.recorded = own < 0 ? [] : waiting.slice(own + 1);
  return own < 0 ? sum : waiting[own]!;
}

/** The totals as they are with a call more, where a count does not tell them. */
const totalWith = (last: Tokens | null, { total }: CodexState): Tokens | null =>
  last === null || isEmpty(last) ? null : total === null ? last : combine(total, last, 1);

/** A token_usage_record: the usage of one response, told by itself. A token_count that tells it too adds no call. */
export function recordUsage(payload: Json, origin: Origin, state: CodexState): Draft[] {
  const usage = tokensOf(payload["usage"]);
  if (usage === null || isEmpty(usage)) return [];
  const response = asName(payload["response_id"]);
  if (response !== null && state.responses.includes(response)) return [];
  if (response !== null) remember(state.responses, response, RESPONSES);
  if (state.justCounted !== null && isSame(state.justCounted, usage)) {
    state.justCounted = null;
    return [];
  }
  remember(state.recorded, usage, RECORDED);
  return [call(usage, origin, state)];
}

function call(usage: Tokens, { ts, key }: Origin, state: CodexState): CallDraft {
  const events = callKey(state) ?? `n:${state.call}`;
  const draft: CallDraft = {
    kind: "call",
    lane: "",
    ...namesOf(key, events, state),
    ts,
    model: variantOf(state.model, {}, { service_tier: state.tier }),
    usage: usageOf(usage),
    outputLowerBound: false,
    window: state.window,
  };
  state.lastInput = promptTokens(usage);
  closeCall(state);
  return draft;
}

/** Where no turn names the call, the record of its counts does. */
function namesOf(
  key: string | null,
  events: string,
  { turn, cut, bare }: CodexState,
): Pick<CallDraft, "key" | "eventsKey"> {
  if (key === null || bare || (turn !== null && !cut)) return { key: events };
  return { key: cut ? toldBy(key) : `g:${key}`, eventsKey: events };
}

/** The record of a call's usage is one of its events: a copy of the record tells of no other call. */
export const telling = (record: Draft, [draft]: readonly Draft[]): Draft =>
  record.kind === "event" && draft?.kind === "call" ? { ...record, callKey: draft.key } : record;

/** Identity of a count in its turn; null where it tells no totals, or those of the count before. */
export function totalsMark(info: Json, state: CodexState): string | null {
  const total = tokensOf(info["total_token_usage"]);
  const isAgain = total !== null && state.total !== null && isSame(total, state.total);
  return total === null || isAgain ? null : markOf(Object.values(total).join(" "));
}

const lost = (surplus: Tokens): Draft[] =>
  isEmpty(surplus) ? [] : [{ kind: "lost", lane: "", usage: usageOf(surplus) }];

/** A sentence on data quality, once. */
export function note(quality: string, state: CodexState): Draft[] {
  if (state.said.includes(quality)) return [];
  state.said.push(quality);
  return [{ kind: "session", lane: "", patch: { quality } }];
}

/** The agent's own sum, which a token_count has beside the usage of its call. */
export const codexTotals: RunningTotals = {
  subtype: "token_count",
  totalOf: (record) => {
    const total = tokensOf(infoOf(asObject(asObject(record)["payload"]))["total_token_usage"]);
    return total === null ? null : usageOf(total);
  },
};

/** `info` of a token_count; empty where the record tells only rate limits. */
export const infoOf = (payload: Json): Json => asObject(payload["info"]);
