// The answer to "what filled it?": a session's ledger with its blow-ups, culprits and verdict, as doors give it.
import { baseOf } from "#lib/kernel/load/base.ts";
import { blowUpsOf } from "#lib/kernel/load/blow-ups.ts";
import { errorsOf } from "#lib/kernel/load/calibrate.ts";
import { cacheBreaksOf } from "#lib/kernel/load/cache-breaks.ts";
import { clearingsOf } from "#lib/kernel/load/clearings.ts";
import { avoidableOf } from "#lib/kernel/load/culprits/avoidable.ts";
import { rankCulprits } from "#lib/kernel/load/culprits/rank.ts";
import type { Culprit, SessionLoadFacts } from "#lib/kernel/load/culprits/culprit-types.ts";
import { frameOf } from "#lib/kernel/load/prompt-frame.ts";
import { originOf } from "#lib/kernel/load/token-origin.ts";
import { inputRates } from "#lib/kernel/load/prompt-size.ts";
import { inputUsd } from "#lib/kernel/load/rates.ts";
import { stateWords } from "#lib/kernel/load/compaction-state.ts";
import type { Ledger, LedgerCall, LedgerItem } from "#lib/kernel/load/ledger-types.ts";
import { verdictOf, type WhatIfPeak } from "#lib/kernel/load/verdict.ts";
import { replayClearing } from "#lib/kernel/load/what-if/known-clearing.ts";
import { NO_POLICY } from "#lib/kernel/load/what-if/what-if-types.ts";
import { whatIf } from "#lib/kernel/load/what-if/what-if.ts";
import type { CulpritRow, LedgerAnswer } from "#lib/wire/ledger-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { findSession } from "../base/find-session.ts";
import { countedFactsOf, loadFactsOf, type LoadFacts } from "./load-facts.ts";
import { inferredPrefixOf } from "./infer-prefix.ts";
import { isCounting, remembered, versionOf } from "../base/session-rows.ts";
import { LEFT_BY, takesOut, type CompactionPosition } from "#lib/kernel/load/residency.ts";

/** Where no culprit says what to do the verdict says what offloading results over this would have done: the default policy's line. */
const OFFLOAD_TOKENS = 2000;

/** The ledger of a session. `counted`: texts that are not counted yet are, before the answer is given. */
export async function sessionLedger(
  archive: Archive,
  name: string,
  { counted = false }: { readonly counted?: boolean } = {},
): Promise<LedgerAnswer> {
  const pk = findSession(archive, name);
  const make = (facts: LoadFacts): KeptAnswer =>
    answerOf(facts, !counted && isCounting(archive, pk), versionOf(archive, pk));
  const facts = await (counted ? countedFactsOf(archive, pk) : loadFactsOf(archive, pk));
  const answer = counted ? make(facts) : remembered(archive, "ledger-answer", pk, () => make(facts));
  const inferred = inferredPrefixOf(archive, pk, facts.ledger);
  return { ...answer, inferredParts: inferred === null ? null : { ...inferred, parts: [...inferred.parts] } };
}

/** What other sessions say changes without this one. */
type KeptAnswer = Omit<LedgerAnswer, "inferredParts">;

function judged(facts: SessionLoadFacts) {
  const blowUps = blowUpsOf(facts);
  const { culprits, leftOut } = rankCulprits(facts);
  return { blowUps, culprits, leftOut, verdict: verdictOf(facts, blowUps, culprits, () => peakWithout(facts)) };
}

function peakWithout(facts: SessionLoadFacts): WhatIfPeak {
  const { expected } = whatIf(facts, { ...NO_POLICY, offload: OFFLOAD_TOKENS });
  return { offload: OFFLOAD_TOKENS, peak: expected.peak, compactions: expected.compactions };
}

function answerOf(facts: LoadFacts, counting: boolean, version: string): KeptAnswer {
  const { ledger, session } = facts;
  const { costs, usd } = frameOf(facts);
  const { blowUps, culprits, leftOut, verdict } = judged(facts);
  const texts = new Map(facts.events.map(({ seq, textTokens }) => [seq, textTokens]));
  const breaks = new Map(cacheBreaksOf(facts).map(({ call, ...found }) => [call, found]));
  return {
    sessionId: session.id,
    title: session.title === "" ? "Untitled" : session.title,
    window: { tokens: session.line.window, origin: session.line.windowOrigin },
    loadLine: session.line.tokens,
    loadLineOrigin: session.line.origin,
    cost: session.cost,
    inputUsd: usd,
    calls: ledger.calls.map((call, k) => ({
      call: call.call,
      seq: call.firstSeq,
      lane: session.lane === "" ? "main" : session.lane,
      epoch: call.epoch,
      model: call.model,
      family: call.family,
      reported: call.reported,
      sum: call.sum,
      prefix: call.prefix,
      visible: call.visible,
      unattributed: call.unattributed,
      growthReported: call.growthReported,
      growthEstimated: call.growthEstimated,
      cacheRead: call.cacheRead,
      cacheWrite: call.cacheWrite,
      cacheWrite1h: call.cacheWrite1h,
      webSearches: call.webSearches,
      uncached: call.uncached,
      inherited: call.inherited,
      usd: listUsd(facts, call),
      cacheBreak: breaks.get(k) ?? null,
    })),
    items: ledger.items.map((item, i) => ({
      ...itemRow(ledger, item, session.counters.counted > 0),
      leftBy: leftBy(facts, item),
      textTokens: item.seq === null ? null : (texts.get(item.seq) ?? null),
      ...costs[i]!,
    })),
    blowUps: blowUps.map(({ index: _index, waterfall, ...one }) => ({
      ...one,
      waterfall: { ...waterfall, items: [...waterfall.items] },
    })),
    culprits: culprits.map((culprit) => culpritRow(ledger, culprit)),
    culpritsLeftOut: leftOut,
    avoidable: avoidableOf(facts, culprits),
    state: verdict.state,
    stateText: stateWords(verdict.state, verdict.automatic),
    base: baseRow(facts),
    worst: verdict.clauses.find(({ call }) => call !== null)?.call ?? verdict.worst?.call ?? null,
    verdict: verdict.text,
    verdictClauses: [...verdict.clauses],
    ...qualityOf(ledger),
    clearings: clearingsOf(facts.ledger, facts.compactions).map((clearing) => {
      const compaction = facts.compactions.find(({ seq }) => seq === clearing.seq)!;
      return { ...clearing, replayed: replayClearing(facts, compaction)?.drop ?? null };
    }),
    counting,
    version,
  };
}

/** Dollars of a call's input, whoever paid for it. */
function listUsd({ listRatesOf }: LoadFacts, call: LedgerCall): number | null {
  const rates = inputRates(call, listRatesOf);
  return rates === null ? null : inputUsd(call, rates);
}

function baseRow(facts: SessionLoadFacts): LedgerAnswer["base"] {
  const { parts, ...rest } = baseOf(facts);
  return { ...rest, parts: [...parts] };
}

/** What took it between its last call and the first without it. */
function leftBy({ ledger: { calls }, compactions, rewinds }: LoadFacts, { seq, to }: LedgerItem): ItemLeft {
  const [last, next] = [calls[to - 1], calls[to]];
  if (seq === null || last === undefined || next === undefined) return null;
  const cuts: CompactionPosition[] = compactions.map((one) => ({
    ...one,
    seqs: one.kind === "micro" ? one.cleared : KEPT,
  }));
  const cut = [...rewinds, ...cuts].find(
    (one) => one.seq > last.firstSeq && one.seq < next.firstSeq && takesOut(one, seq),
  );
  return cut === undefined ? null : LEFT_BY[cut.kind];
}

type ItemLeft = LedgerAnswer["items"][number]["leftBy"];
/** An item that ends at a full compaction was not kept. */
const KEPT: ReadonlySet<number> = new Set();

function itemRow({ calls }: Ledger, item: LedgerItem, isCounted: boolean) {
  return {
    seq: item.seq,
    kind: item.kind,
    tool: item.toolName,
    label: item.label,
    enteredAt: calls[item.from]!.call,
    leftAt: calls[item.to]?.call ?? null,
    estimated: item.estimated,
    tokens: item.tokens,
    plusMinus: item.plusMinus,
    grade: item.grade,
    basis: item.basis,
    origin: originOf(item, isCounted),
    callsResident: item.to - item.from,
  };
}

function culpritRow({ calls, items }: Ledger, culprit: Culprit): CulpritRow {
  const { from, last, lastUsed, toolName, cure: _cure, seqs, also, ...rest } = culprit;
  return {
    ...rest,
    seqs: [...seqs],
    also: [...also],
    kind: items.find(({ seq }) => seq !== null && seq === culprit.seq)?.kind ?? "prefix",
    tool: toolName,
    fromCall: calls[from]?.call ?? 0,
    toCall: calls[last]?.call ?? 0,
    lastUsed: lastUsed === null ? null : (calls[lastUsed]?.call ?? null),
  };
}

/** How much the ledger leaves over, and how far its estimates were off before the provider put them right. */
function qualityOf({ calls }: Ledger): Pick<LedgerAnswer, "unattributedShare" | "growthError" | "transitions"> {
  const reported = calls.filter((call) => call.reported !== null);
  const prompts = sum(reported.map((call) => call.sum));
  const grown = calls.flatMap(({ growthReported, growthEstimated }) =>
    growthReported === null ? [] : [{ grown: growthReported, estimated: growthEstimated! }],
  );
  return {
    unattributedShare: prompts === 0 ? null : sum(reported.map((call) => Math.abs(call.unattributed))) / prompts,
    growthError: errorsOf(
      grown,
      grown.map(({ estimated }) => estimated),
    ).wape,
    transitions: grown.length,
  };
}

const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);
