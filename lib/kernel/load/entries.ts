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
};

export type EntryInput = {
  readonly calls: readonly LedgerCallInput[];
  readonly families: readonly Family[];
  readonly events: readonly WeighedEvent[];
  readonly compactions: readonly CompactionPlace[];
  readonly constants: ConstantsTable;
};

/** In the order of the log. Of events that no call was sent, `from` and `to` are the same. */
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
    const stay = resident(at);
    let { to } = stay;
    if (estimate.kind === "reasoning") {
      // The model that is called at the start of a later turn decides; reasoning of one turn leaves together.
      const next = drops[firstAfter(dropSeqs, at)];
      if (next !== undefined) to = Math.min(to, Math.max(stay.from, next.call));
    }
    if (to <= stay.from) return [];
    return [
      {
        ...estimate,
        from: stay.from,
        to,
        namedUntil: stay.namedUntil,
        whole: 0,
        grade: "estimated",
        family,
        place: at,
      },
    ];
  }

  /** The turns that begin with a model which is not sent earlier reasoning. */
  function dropsOf(): { seq: number; call: number }[] {
    let model: string | null = calls.find((call) => call.model !== null)?.model ?? null;
    const models = calls.map((call) => (model = call.model ?? model));
    return events
      .filter(({ startsTurn }) => startsTurn)
      .map(({ seq }) => ({ seq, call: resident(seq).from }))
      .filter(({ call }) => call < calls.length && constants[families[call]!].dropsReasoning(models[call]!));
  }

  const entries: Entry[] = [];
  for (const [k, call] of calls.entries()) {
    const blocks = answers.get(k) ?? [];
    const family = families[k]!;
    const last = blocks.at(-1)?.seq ?? call.firstSeq;
    for (const estimate of estimateAnswer(call, blocks, constants[family]))
      entries.push(...entry(estimate, estimate.seq ?? last, family));
  }
  for (const event of events) {
    if (event.call !== null && indexOf.has(event.call)) continue;
    const family = families[resident(event.seq).from] ?? lastFamily;
    entries.push(...entry(estimateEvent(event, constants[family]), event.seq, family));
  }
  return entries.toSorted((a, b) => a.place - b.place);
}
