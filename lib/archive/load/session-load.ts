import { select } from "#db/statement.ts";
import { leastJump } from "#lib/kernel/load/blow-ups.ts";
import { originOf } from "#lib/kernel/load/token-origin.ts";
import { stackOf } from "#lib/kernel/load/stack.ts";
import type { LedgerItem } from "#lib/kernel/load/ledger-types.ts";
import type { LoadAnswer, LoadCall } from "#lib/wire/load-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { findSession } from "../base/find-session.ts";
import { missingCounts } from "./count-tokens.ts";
import { countedLedgerOf, figuresOf, ledgerOf, type LedgerRows } from "./load-facts.ts";
import { compactionSizes, isCounting, remembered, versionOf, type CallRow } from "../base/session-rows.ts";
import { rowRange, seqOfRow } from "../base/row-keys.ts";
import { iso } from "../base/iso.ts";

/** Jumps that are named: the largest. */
const JUMPS = 8;

/**
 * The load of a session, call by call: reported sums, counted and estimated parts, and what is left unexplained.
 * `counted`: texts that are not counted yet are, before the answer is given.
 */
export async function sessionLoad(
  archive: Archive,
  name: string,
  { counted = false }: { readonly counted?: boolean } = {},
): Promise<LoadAnswer> {
  const pk = findSession(archive, name);
  const counts = counted ? await missingCounts(archive, pk) : new Map<number, number>();
  if (counts.size > 0) return makeLoad(archive, pk, countedLedgerOf(archive, pk, counts));
  return remembered(archive, "load", pk, () => makeLoad(archive, pk, ledgerOf(archive, pk)));
}

function makeLoad(archive: Archive, pk: number, rows: LedgerRows): LoadAnswer {
  const { ledger, calls, compactions: made, rewinds } = rows;
  const compactions = made.filter(({ undoneBy }) => undoneBy === undefined);
  const stacked = stackOf(ledger);
  const turns = turnsOf(archive, pk, calls);
  const turnOf = turnLookup(turns);
  const { line, counters } = figuresOf(archive, pk);
  const answer = calls.map((call, k): LoadCall => {
    const { prompt, epoch, stack, estimated, entered, cacheBreak } = stacked[k]!;
    const reported = ledger.calls[k]!.reported !== null;
    const isCounted = !reported && estimated.every((flag, i) => flag === 0 || stack[i] === 0);
    return {
      call: call.call,
      seq: call.firstSeq,
      ts: iso(call.ts),
      turn: turnOf(call.firstSeq),
      epoch,
      model: call.model,
      prompt,
      origin: reported ? "reported" : isCounted ? "counted" : "estimated",
      uncached: call.uncached,
      cacheRead: call.cacheRead,
      cacheWrite: call.cacheWrite,
      cacheWrite1h: call.cacheWrite1h,
      webSearches: call.webSearches,
      output: call.output,
      outputLowerBound: call.lowerBound === 1,
      inherited: call.inherited === 1,
      stack,
      estimated,
      entered: entered.map((item) => enteredOf(item, counters.counted > 0)),
      cacheBreak,
    };
  });
  const { lost } = counters;
  return {
    calls: counters.counted > 0 ? answer.map((call) => ({ ...call, origin: "counted" })) : answer,
    window: { tokens: line.window, origin: line.windowOrigin },
    loadLine: { tokens: line.tokens, origin: line.origin },
    compactions: compactionSizes(compactions, calls).map(({ seqs: _seqs, ...compaction }) => ({
      ...compaction,
      afterCall: calls.findLast((call) => call.firstSeq < compaction.seq)?.call ?? 0,
    })),
    rewinds: rewinds.map(({ seq }) => ({
      seq,
      afterCall: calls.findLast((call) => call.firstSeq < seq)?.call ?? 0,
    })),
    turns,
    jumps: jumpsOf(answer, line.tokens),
    lost: lost === null ? 0 : lost.inputUncached + lost.cacheRead + lost.cacheWrite + lost.output,
    counting: isCounting(archive, pk),
    version: versionOf(archive, pk),
  };
}

const enteredOf = (item: LedgerItem, isCounted: boolean): LoadCall["entered"][number] => ({
  seq: item.seq ?? 0,
  category: item.kind,
  label: item.label,
  tokens: item.tokens,
  origin: originOf(item, isCounted),
});

type Turn = LoadAnswer["turns"][number];

function turnsOf(archive: Archive, pk: number, calls: readonly CallRow[]): Turn[] {
  const rows = select(
    archive.sqlite,
    "events",
    ["id", "turn", "label"],
    "WHERE id BETWEEN ? AND ? AND starts_turn = 1 ORDER BY id",
  ).all(...rowRange(pk));
  let at = 0;
  return rows.map((row) => {
    const seq = seqOfRow(row.id);
    while (at < calls.length && calls[at]!.firstSeq <= seq) at++;
    return { turn: row.turn, seq, call: calls[at]?.call ?? calls.at(-1)?.call ?? 0, title: row.label };
  });
}

function turnLookup(turns: readonly Turn[]): (seq: number) => number {
  let at = 0;
  return (seq) => {
    if (at > 0 && turns[at - 1]!.seq > seq) at = 0;
    while (at < turns.length && turns[at]!.seq <= seq) at++;
    return at === 0 ? 0 : turns[at - 1]!.turn;
  };
}

function jumpsOf(calls: readonly LoadCall[], line: number | null): LoadAnswer["jumps"] {
  const least = leastJump(line);
  return calls
    .flatMap((call, k) => {
      const before = calls[k - 1];
      if (before === undefined || before.epoch !== call.epoch) return [];
      const tokens = call.prompt - before.prompt;
      if (tokens < least) return [];
      const largest = call.entered[0];
      return [
        {
          call: call.call,
          tokens,
          seq: largest?.seq ?? null,
          label: largest === undefined ? "not in the file" : largest.label,
        },
      ];
    })
    .toSorted((a, b) => b.tokens - a.tokens)
    .slice(0, JUMPS);
}
