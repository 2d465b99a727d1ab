// What another policy would have made of a session.
import { select } from "#db/statement.ts";
import { whatIf, type WhatIfInput } from "#lib/kernel/load/what-if/what-if.ts";
import type { WhatIfAnswer, WhatIfRequest } from "#lib/wire/what-if-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { findSession } from "../base/find-session.ts";
import { rowRange, seqOfRow } from "../base/row-keys.ts";
import { countedFactsOf, loadFactsOf, type LoadFacts } from "./load-facts.ts";
import { remembered } from "../base/session-rows.ts";

/**
 * Replays a session. A slider asks this ten times a second: what the policy does not change is kept in memory. `counted`:
 * texts that are not counted yet are, before the answer is given.
 */
export async function whatIfOf(
  archive: Archive,
  name: string,
  policy: WhatIfRequest,
  { counted = false }: { readonly counted?: boolean } = {},
): Promise<WhatIfAnswer> {
  const pk = findSession(archive, name);
  const input = counted
    ? inputOf(archive, pk, await countedFactsOf(archive, pk))
    : await remembered(archive, "what-if", pk, async () => inputOf(archive, pk, await loadFactsOf(archive, pk)));
  const { actual, low, expected, high, calls, warnings, cachePenaltyUsd } = whatIf(input, policy);
  return {
    policy,
    actual,
    predicted: { low, expected, high },
    calls: [...calls],
    warnings: [...warnings],
    cachePenaltyUsd,
    cost: input.session.cost,
    label: "same turns assumed",
  };
}

const inputOf = (archive: Archive, pk: number, facts: LoadFacts): WhatIfInput & LoadFacts => ({
  ...facts,
  turnStarts: turnStartsOf(archive, pk),
});

/** Events with which turns start: a compaction of our own leaves whole turns. */
export function turnStartsOf(archive: Archive, pk: number): ReadonlySet<number> {
  const rows = select(archive.sqlite, "events", ["id"], "WHERE id BETWEEN ? AND ? AND starts_turn = 1").all(
    ...rowRange(pk),
  );
  return new Set(rows.map(({ id }) => seqOfRow(id)));
}
