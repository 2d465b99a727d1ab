// The ledger's items before the provider's numbers: what each event weighs, and from which call to which it is in the
// context as far as the log says. What the numbers say later (a silent clearing) only brings `to` forward.
import type { ConstantsTable } from "./constants.ts";
import { estimateAnswer, estimateEvent, type Estimate } from "./estimate.ts";
import { firstAfter, residencyIn, type CompactionPlace } from "./residency.ts";
import type { Family, LedgerCallInput, WeighedEvent } from "./ledger-types.ts";

export type Entry = Estimate & {
  readonly from: number;
  to: number;
  /** Before this call a later record says that it was still there. */
  readonly namedUntil: number;
  /** Whole tokens, once they are decided. */
  whole: number;
  grade: "exact" | "tight" | "estimated";
  readonly family: Family;
  /** Where it stands in the log, its event's seq: items are in this order. */
  readonly place: number;
  /** The same event's stay before a compaction that was undone: it weighs the same again. */
  readonly before?: Entry;
};

export type EntryInput = {
  readonly calls: readonly LedgerCallInput[];
  readonly families: readonly Family[];
  readonly events: readonly WeighedEvent[];
  readonly compactions: readonly CompactionPlace[];
  readonly constants: ConstantsTable;
};

/** In the order of the log. Events that no call was sent are left out, but for the last answer, whose `from` is `to`. */
export function entriesOf({ calls, families, events, compactions, constants }: EntryInput): Entry[] {
  const resident = residencyIn(calls, compactions);
  const indexOf = new Map(calls.map((call, k) => [call.call, k]));
  const answers = Map.groupBy(
    events.filter(({ call }) => call !== null && indexOf.has(call)),
    ({ call }) => indexOf.get(call!)!,
  );
  const drops = dropsOf();
  const dropSeqs = drops.map(({ seq }) => seq);
  const lastFamily = families.at(-1) ?? "other";

  function entry(estimate: Estimate, at: number, family: Family): Entry[] {
    // The model that is called at the start of a later turn decides; reasoning of one turn leaves together.
    const drop = estimate.kind === "reasoning" ? (drops[firstAfter(dropSeqs, at)]?.call ?? Infinity) : Infinity;
    const made: Entry[] = [];
    for (const { from, to: end, namedUntil } of resident(at)) {
      const to = Math.min(end, Math.max(from, drop));
      const before = made.at(-1);
      if (before !== undefined && to <= from) continue;
      const known = before === undefined || before.to <= before.from ? {} : { before };
      const one: Entry = {
        ...estimate,
        from,
        to,
        namedUntil,
        whole: 0,
        grade: "estimated",
        family,
        place: at,
        ...known,
      };
      if (before !== undefined && before.to <= before.from) made[0] = one;
      else made.push(one);
    }
    return made;
  }

  /** The turns that begin with a model which is not sent earlier reasoning. */
  function dropsOf(): { seq: number; call: number }[] {
    let model: string | null = calls.find((call) => call.model !== null)?.model ?? null;
    const models = calls.map((call) => (model = call.model ?? model));
    return events
      .filter(({ startsTurn }) => startsTurn)
      .map(({ seq }) => ({ seq, call: resident(seq)[0].from }))
      .filter(({ call }) => call < calls.length && constants[families[call]!].dropsReasoning(models[call]!));
  }

  const entries: Entry[] = [];
  for (const [k, call] of calls.entries()) {
    const blocks = answers.get(k) ?? [];
    const family = families[k]!;
    const last = blocks.at(-1)?.seq ?? call.firstSeq;
    for (const estimate of estimateAnswer(call, blocks, constants[family]))
      entries.push(
        ...entry(estimate, estimate.seq ?? last, family).filter(({ from, to }) => to > from || from === calls.length),
      );
  }
  for (const event of events) {
    if (event.call !== null && indexOf.has(event.call)) continue;
    const family = families[resident(event.seq)[0].from] ?? lastFamily;
    const made = entry(estimateEvent(event, constants[family]), event.seq, family);
    entries.push(...made.filter(({ from, to }) => to > from));
  }
  return entries.toSorted((a, b) => a.place - b.place);
}
