// How long a row of the transcript stayed in the context, and each call that carried it. The session's ledger says both.
import { scalar, select } from "#db/statement.ts";
import type { EventType } from "#lib/kernel/event.ts";
import { fail } from "#lib/kernel/errors.ts";
import { carriersOf } from "#lib/kernel/load/carriers.ts";
import { frameOf } from "#lib/kernel/load/prompt-frame.ts";
import { leastKnown } from "#lib/kernel/load/token-origin.ts";
import type { CarrierRow, EventLifetime, LifetimePart } from "#lib/wire/event-lifetime-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { findSession } from "../base/find-session.ts";
import { eventRowId } from "../base/row-keys.ts";
import { versionOf } from "../base/session-rows.ts";
import { weightsOf } from "../load/event-weights.ts";
import { loadFactsOf, type LoadFacts } from "../load/load-facts.ts";
import { endAt, positionsOf } from "./artifact-lineage.ts";

/** Fails with `not_found` for an event that the session does not have. */
export async function eventLifetime(archive: Archive, name: string, seq: number): Promise<EventLifetime> {
  const pk = findSession(archive, name);
  const seqs = rowOf(archive, pk, seq);
  const facts = await loadFactsOf(archive, pk);
  const carried = seqs.map((one) => carriedBy(facts, one));
  const parts = seqs.map((one, at) => partOf(archive, pk, one, carried[at]!));
  return {
    seq: seqs[0]!,
    parts,
    origin: leastKnown(parts.filter(({ tokens }) => tokens > 0).map(({ origin }) => origin)),
    lifetimeTokens: parts.reduce((sum, { lifetimeTokens }) => sum + lifetimeTokens, 0),
    lifetimeUsd: sumUsd(parts.map(({ lifetimeUsd }) => lifetimeUsd)),
    calls: callRows(
      facts,
      carried.flatMap(({ carriers }) => carriers),
    ),
    sessionCalls: facts.ledger.calls.length,
    left: leftBy(archive, pk, parts),
    version: versionOf(archive, pk),
  };
}

/** The events of the row that an event is in: a tool call and its result stand in one. */
export function rowOf(archive: Archive, pk: number, seq: number): number[] {
  const row = select(archive.sqlite, "events", ["type"], "WHERE id = ?").get(eventRowId(pk, seq));
  if (row === undefined) fail("not_found", `This session has no event ${seq}. plimsoll events SESSION lists them.`);
  const pairOf = (own: "call_seq" | "result_seq", other: "call_seq" | "result_seq"): number | null =>
    scalar(
      archive.sqlite,
      `tool_interactions.${other}`,
      `FROM tool_interactions WHERE session_pk = ? AND ${own} = ? LIMIT 1`,
    ).get(pk, seq) ?? null;
  const pair =
    row.type === "tool_call"
      ? pairOf("call_seq", "result_seq")
      : row.type === "tool_result"
        ? pairOf("result_seq", "call_seq")
        : null;
  return pair === null ? [seq] : [seq, pair].toSorted((a, b) => a - b);
}

type Carried = {
  readonly carriers: ReturnType<typeof carriersOf>;
  readonly lifetimeTokens: number;
  readonly lifetimeUsd: number | null;
};

/** More than one item is of an event whose compaction was undone. */
function carriedBy(facts: LoadFacts, seq: number): Carried {
  const { costs } = frameOf(facts);
  const own = facts.ledger.items.flatMap((item, i) => (item.seq === seq ? [i] : []));
  return {
    carriers: own.flatMap((i) => carriersOf(facts, i)),
    lifetimeTokens: own.reduce((sum, i) => sum + costs[i]!.lifetimeTokens, 0),
    lifetimeUsd: sumUsd(own.map((i) => costs[i]!.lifetimeUsd)),
  };
}

function partOf(archive: Archive, pk: number, seq: number, carried: Carried): LifetimePart {
  const { tokens, origin, textTokens, enteredAt, lastCall, callsResident } = weightsOf(archive, pk).of(seq);
  const { lifetimeTokens, lifetimeUsd } = carried;
  const type = scalar(archive.sqlite, "events.type", "FROM events WHERE id = ?").get(eventRowId(pk, seq)) as EventType;
  const stay = { firstCall: enteredAt, lastCall, callsResident };
  return { seq, type, tokens, origin, textTokens, ...stay, lifetimeTokens, lifetimeUsd };
}

/** A call and its result in one prompt are one row of it. */
function callRows({ ledger }: LoadFacts, carriers: Carried["carriers"]): CarrierRow[] {
  const byCall = Map.groupBy(carriers, ({ index }) => index);
  return [...byCall]
    .toSorted(([a], [b]) => a - b)
    .map(([index, parts]) => {
      const { call, firstSeq, epoch, model, inherited, reported, sum } = ledger.calls[index]!;
      return {
        call,
        seq: firstSeq,
        epoch,
        model,
        inherited,
        prompt: sum,
        isReported: reported !== null,
        tokens: parts.reduce((all, { tokens }) => all + tokens, 0),
        cached: parts.reduce((all, { cached }) => all + cached, 0),
        usd: sumUsd(parts.map(({ usd }) => usd)),
      };
    });
}

/** Asked of the part that stayed longest: a clearing blanks a result, and leaves its call. */
function leftBy(archive: Archive, pk: number, parts: readonly LifetimePart[]): EventLifetime["left"] {
  const last = parts.toSorted((a, b) => (b.lastCall ?? -1) - (a.lastCall ?? -1))[0]!;
  const { calls, cuts } = positionsOf(archive, pk);
  if (last.lastCall === null || last.lastCall === calls.at(-1)?.call) return null;
  const end = endAt(cuts, calls, last.seq, last.lastCall);
  return end === null ? { why: "unknown" } : { why: "compaction", ...end };
}

const sumUsd = (usd: readonly (number | null)[]): number | null =>
  usd.reduce((sum, one) => (one === null ? sum : (sum ?? 0) + one), null);
