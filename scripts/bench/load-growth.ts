// How far the ledger's estimates are from the growth that providers reported, before anything is reconciled. Constants are
// fitted to the other lineages alone, from a start that no session had a part in, and the ledger of the session that is
// judged is made with them as the product makes it: nothing of the session, and nothing of the shipped table, is in them.
import type { Archive } from "#lib/archive/base/archive-type.ts";
import { framePartsOf } from "#lib/archive/base/frame-parts.ts";
import { rowRange, seqOfRow } from "#lib/archive/base/row-keys.ts";
import { ledgerCalls, weighedRows } from "#lib/archive/load/ledger-rows.ts";
import { callsOf, compactionsOf } from "#lib/archive/base/session-rows.ts";
import { wholeText } from "#lib/archive/artifacts/whole-text.ts";
import { fit } from "#lib/kernel/load/calibrate.ts";
import { CONSTANTS, type Constants, type ConstantsTable } from "#lib/kernel/load/constants.ts";
import { buildLedger, type LedgerInput } from "#lib/kernel/load/ledger.ts";
import { transitionsOf, type Transition } from "#lib/kernel/load/transitions.ts";
import { FAMILIES, ITEM_CLASSES, type Family, type Ledger } from "#lib/kernel/load/ledger-types.ts";
import { eventText, type EventBody } from "#lib/kernel/event.ts";

/** Σ |error| and Σ |growth| of some transitions, by who estimated them. */
export type Growth = {
  readonly transitions: number;
  readonly grown: number;
  readonly fitted: number;
  readonly shipped: number;
  readonly charsOver4: number;
};

export const NO_GROWTH: Growth = { transitions: 0, grown: 0, fitted: 0, shipped: 0, charsOver4: 0 };

export const addGrowth = (a: Growth, b: Growth): Growth => ({
  transitions: a.transitions + b.transitions,
  grown: a.grown + b.grown,
  fitted: a.fitted + b.fitted,
  shipped: a.shipped + b.shipped,
  charsOver4: a.charsOver4 + b.charsOver4,
});

type Session = {
  readonly pk: number;
  readonly group: string;
  readonly input: LedgerInput;
  readonly isOwn: (call: number) => boolean;
  /** Characters of each event's text as the model saw it. */
  readonly chars: ReadonlyMap<number, number>;
  readonly transitions: readonly Transition[];
};

/** A token of text weighs one token, and each item 30 for what stands around it. */
const PLAIN = Object.fromEntries(ITEM_CLASSES.map((name) => [name, { perToken: 1, base: 30 }])) as Constants["classes"];

/**
 * Where every fit starts: round numbers. A signature of 2.5 × the words that it signs, at 0.2 tokens a character, is half a
 * token a byte of readable reasoning; `fit` does not move that one.
 */
const START = Object.fromEntries(
  FAMILIES.map((family) => [
    family,
    { ...CONSTANTS[family], classes: PLAIN, perSignatureChar: 0.2, perReasoningByte: 0.5, image: 1500 },
  ]),
) as ConstantsTable;

/** Growth of each session, by its row; sessions whose calls were not reported by a provider have none. */
export async function growthOf(archive: Archive, pks: readonly number[]): Promise<ReadonlyMap<number, Growth>> {
  const groups = groupsOf(archive);
  const sessions: Session[] = [];
  for (const pk of pks) sessions.push(await sessionOf(archive, pk, groups.get(pk) ?? String(pk)));
  const tables = new Map<string, ConstantsTable>();
  const tableWithout = (group: string): ConstantsTable => {
    const made = tables.get(group) ?? fittedWithout(sessions, group);
    tables.set(group, made);
    return made;
  };
  return new Map(sessions.map((session) => [session.pk, judge(session, tableWithout(session.group))]));
}

function fittedWithout(sessions: readonly Session[], group: string): ConstantsTable {
  const others = sessions.filter((session) => session.group !== group).flatMap(({ transitions }) => transitions);
  const table: Record<Family, Constants> = { ...START };
  for (const family of FAMILIES) {
    const own = others.filter((one) => one.family === family);
    if (own.length === 0) continue;
    const { classes, perSignatureChar } = fit(own, START[family]);
    table[family] = { ...START[family], classes: { ...PLAIN, ...classes }, perSignatureChar };
  }
  return table;
}

function judge({ input, isOwn, chars }: Session, table: ConstantsTable): Growth {
  const fitted = buildLedger({ ...input, constants: table });
  const shipped = buildLedger({ ...input, constants: CONSTANTS });
  const came = Map.groupBy(fitted.items, ({ from }) => from);
  let growth = NO_GROWTH;
  for (const [k, { call, growthReported, growthEstimated }] of fitted.calls.entries()) {
    if (growthReported === null || growthEstimated === null || !isOwn(call)) continue;
    const text = (came.get(k) ?? []).reduce((sum, { seq }) => sum + (seq === null ? 0 : (chars.get(seq) ?? 0)), 0);
    growth = addGrowth(growth, {
      transitions: 1,
      grown: Math.abs(growthReported),
      fitted: Math.abs(growthEstimated - growthReported),
      shipped: Math.abs((shipped.calls[k]!.growthEstimated ?? 0) - growthReported),
      charsOver4: Math.abs(text / 4 - growthReported),
    });
  }
  return growth;
}

async function sessionOf(archive: Archive, pk: number, group: string): Promise<Session> {
  const { format } = archive.sqlite.prepare("SELECT format FROM sessions WHERE pk = ?").get(pk) as { format: string };
  const inherited = new Set(
    archive.sqlite
      .prepare("SELECT call FROM model_calls WHERE session_pk = ? AND inherited = 1")
      .pluck()
      .all(pk) as number[],
  );
  const isOwn = (call: number): boolean => !inherited.has(call);
  const input = {
    calls: ledgerCalls(callsOf(archive, pk)),
    events: weighedRows(archive, pk, framePartsOf(archive, pk)).standing,
    compactions: compactionsOf(archive, pk),
    format,
  };
  const ledger: Ledger = buildLedger({ ...input, constants: START });
  const transitions = transitionsOf(ledger, input.events, { session: String(pk), group, isOwn });
  return { pk, group, input, isOwn, chars: await charsOf(archive, pk), transitions };
}

async function charsOf(archive: Archive, pk: number): Promise<ReadonlyMap<number, number>> {
  const rows = archive.sqlite
    .prepare("SELECT id, artifact, body FROM events WHERE digest IS NOT NULL AND id BETWEEN ? AND ?")
    .all(...rowRange(pk)) as { id: number; artifact: string | null; body: string }[];
  const chars = new Map<number, number>();
  for (const { id, artifact, body: text } of rows) {
    const body = JSON.parse(text) as EventBody;
    const whole = artifact !== null && body.type === "tool_result" && body.saw === "full";
    chars.set(seqOfRow(id), ((whole ? await wholeText(archive, artifact) : null) ?? eventText(body)).length);
  }
  return chars;
}

/** Sessions that share records, and sub-agents with their parents, are one lineage: fitted on together, or not at all. */
export function groupsOf({ sqlite }: Archive): ReadonlyMap<number, string> {
  const pairs = sqlite
    .prepare(
      "SELECT session_pk AS a, other_pk AS b FROM lineage UNION ALL SELECT pk, parent_pk FROM sessions WHERE parent_pk IS NOT NULL",
    )
    .all() as { a: number; b: number }[];
  const group = new Map((sqlite.prepare("SELECT pk FROM sessions").pluck().all() as number[]).map((pk) => [pk, pk]));
  // Names are lowered until nothing changes: there are few pairs, and chains of them are short.
  for (let changed = true; changed;) {
    changed = false;
    for (const { a, b } of pairs) {
      const least = Math.min(group.get(a)!, group.get(b)!);
      for (const pk of [a, b])
        if (group.get(pk) !== least) {
          group.set(pk, least);
          changed = true;
        }
    }
  }
  return new Map([...group].map(([pk, name]) => [pk, String(name)]));
}
