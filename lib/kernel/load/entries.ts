// The ledger's items before the provider's numbers: what each event weighs, and from which call to which it is in the
// context as far as the log says. What the numbers say later (a silent clearing) only brings `to` forward.
import type { ConstantsTable } from "./constants.ts";
import { estimateAnswer, estimateEvent, type Estimate } from "./estimate.ts";
import { firstAfter, residencyIn, type CompactionPosition } from "./residency.ts";
import type { BorrowedPart, Family, LedgerCallInput, WeighedEvent } from "./ledger-types.ts";

export type Entry = Estimate & {
  readonly from: number;
  to: number;
  /** Before this call a later record says that it was still there. */
  readonly namedUntil: number;
  /** Whole tokens, once they are decided. */
  whole: number;
  grade: "exact" | "tight" | "estimated";
  readonly family: Family;
  /** Where it stands in the log: items are in this order. */
  readonly position: number;
  readonly isFrame: boolean;
  /** The same event's stay before a compaction that was undone: it weighs the same again. */
  readonly before?: Entry;
};

export type EntryInput = {
  readonly calls: readonly LedgerCallInput[];
  readonly families: readonly Family[];
  readonly events: readonly WeighedEvent[];
  readonly compactions: readonly CompactionPosition[];
  readonly constants: ConstantsTable;
  readonly borrowed?: readonly BorrowedPart[];
};

/** In the order of the log. Events that no call was sent are left out, but for the last answer, whose `from` is `to`. */
export function entriesOf(input: EntryInput): Entry[] {
  const { calls, families, events, compactions, constants } = input;
  const resident = residencyIn(calls, compactions);
  const indexOf = new Map(calls.map((call, k) => [call.call, k]));
  const answers = Map.groupBy(
    events.filter(({ call }) => call !== null && indexOf.has(call)),
    ({ call }) => indexOf.get(call!)!,
  );
  const drops = dropsOf();
  const dropSeqs = drops.map(({ seq }) => seq);
  const lastFamily = families.at(-1) ?? "other";

  function entry(estimate: Estimate, at: number, family: Family, frame: Frame = OF_LOG): Entry[] {
    // The model that is called at the start of a later turn decides; reasoning of one turn leaves together.
    const drop = estimate.kind === "reasoning" ? (drops[firstAfter(dropSeqs, at)]?.call ?? Infinity) : Infinity;
    const made: Entry[] = [];
    for (const { from, to: end, namedUntil } of resident(at, frame.since)) {
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
        position: frame.since ?? at,
        isFrame: frame.isFrame === true,
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
    const family = families[resident(event.seq, event.since)[0].from] ?? lastFamily;
    const made = entry(estimateEvent(event, constants[family]), event.seq, family, event);
    entries.push(...made.filter(({ from, to }) => to > from));
  }
  entries.push(...borrowedEntries(input));
  return entries.toSorted((a, b) => a.position - b.position);
}

type Frame = Pick<WeighedEvent, "since" | "isFrame">;
const OF_LOG: Frame = {};

/** What copied calls were sent and no event of this log has. */
function borrowedEntries({ calls, families, constants, borrowed = [] }: EntryInput): Entry[] {
  const starts = calls.map(({ firstSeq }) => firstSeq);
  return borrowed.flatMap(({ event, since, until }): Entry[] => {
    const from = firstAfter(starts, since);
    const to = until === null ? calls.length : firstAfter(starts, until);
    const family = families[from];
    if (family === undefined || to <= from) return [];
    const estimate = { ...estimateEvent(event, constants[family]), seq: null };
    const decided = { whole: 0, grade: "estimated" } as const;
    return [{ ...estimate, ...decided, from, to, namedUntil: 0, family, position: since, isFrame: true }];
  });
}
