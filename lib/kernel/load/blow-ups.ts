// Where a context was in trouble: near the load line, compacted, refused, or grown at a jump; each with what made it up
// since its epoch began, summing to the prompt of its call.
import type { SessionLoadFacts } from "./culprits/culprit-types.ts";
import { frameOf, type Frame } from "./prompt-frame.ts";
import { NEAR } from "./compaction-state.ts";
import type { LedgerItem } from "./ledger-types.ts";

type BlowUpKind = "near-line" | "compaction" | "overflow" | "jump";

type WaterfallPart = Pick<LedgerItem, "seq" | "kind" | "label" | "tokens">;

export type Waterfall = {
  readonly prefix: number;
  readonly items: readonly WaterfallPart[];
  readonly rest: number;
  readonly restItems: number;
  readonly unattributed: number;
};

export type BlowUp = {
  /** The call's number, and its index. */
  readonly call: number;
  readonly index: number;
  readonly seq: number;
  readonly kind: BlowUpKind;
  /** Prompt tokens there; of a jump: what it grew by. */
  readonly tokens: number;
  readonly trigger: string | null;
  readonly waterfall: Waterfall;
};

const JUMP_TOKENS = 10_000;
const JUMP_SHARE = 0.05;
const LARGEST = 10;

/** A jump grows a prompt by so much at once: 10,000 tokens, or 5 % of the load line. 1.7 % of real calls (289 of 17,485). */
export const leastJump = (loadLine: number | null): number => Math.max(JUMP_TOKENS, JUMP_SHARE * (loadLine ?? 0));

/** In the order of the calls. */
export function blowUpsOf(session: SessionLoadFacts): readonly BlowUp[] {
  const frame = frameOf(session);
  const { calls, cuts } = frame;
  if (calls.length === 0) return [];
  const found: Omit<BlowUp, "waterfall" | "call">[] = [];
  const add = (kind: BlowUpKind, index: number, seq: number, tokens: number, trigger: string | null = null): void => {
    found.push({ index, seq, kind, tokens, trigger });
  };
  const { loadLine } = session;
  const near = loadLine === null ? -1 : calls.findIndex(({ sum }) => sum >= NEAR * loadLine);
  if (near >= 0) add("near-line", near, calls[near]!.firstSeq, calls[near]!.sum);
  const triggers = new Map(session.compactions.map(({ seq, trigger }) => [seq, trigger]));
  // One that a person asked for is no trouble.
  for (const { seq, before, isAutomatic } of cuts)
    if (isAutomatic) add("compaction", before, seq, calls[before]!.sum, triggers.get(seq) ?? null);
  for (const seq of session.overflows) {
    const index = lastBefore(frame, seq);
    if (index >= 0) add("overflow", index, seq, calls[index]!.sum);
  }
  const least = leastJump(loadLine);
  calls.forEach((call, k) => {
    const before = calls[k - 1];
    if (before === undefined || before.epoch !== call.epoch || call.sum - before.sum < least) return;
    add("jump", k, largestEntering(frame, k)?.seq ?? call.firstSeq, call.sum - before.sum);
  });
  return found
    .toSorted((a, b) => a.index - b.index || a.seq - b.seq)
    .map((one) => ({ ...one, call: calls[one.index]!.call, waterfall: waterfallAt(session, one.index) }));
}

function lastBefore({ calls }: Frame, seq: number): number {
  const next = calls.findIndex(({ firstSeq }) => firstSeq > seq);
  return (next < 0 ? calls.length : next) - 1;
}

function largestEntering({ items }: Frame, k: number): LedgerItem | null {
  return items.reduce<LedgerItem | null>(
    (most, item) =>
      item.from === k && item.to > k && item.seq !== null && item.tokens > (most?.tokens ?? 0) ? item : most,
    null,
  );
}

/** What the prompt of a call is made of: the hidden prefix, its ten largest items, the rest, and what is unattributed. */
export function waterfallAt(session: SessionLoadFacts, k: number): Waterfall {
  const { items, calls } = frameOf(session);
  const { prefix, unattributed, sum } = calls[k]!;
  const isEmpty = sum === 0;
  const visible = items
    .filter((item) => !isEmpty && item.from <= k && item.to > k && item.tokens > 0 && isVisible(item))
    .toSorted((a, b) => b.tokens - a.tokens || a.from - b.from);
  const largest = visible.slice(0, LARGEST);
  return {
    prefix,
    items: largest.map(({ seq, kind, label, tokens }) => ({ seq, kind, label, tokens })),
    rest: sum - prefix - unattributed - largest.reduce((all, { tokens }) => all + tokens, 0),
    restItems: visible.length - largest.length,
    unattributed,
  };
}

/** What the ledger counts as visible: all but the hidden prefix and what is unattributed. */
export const isVisible = ({ isHidden, kind }: LedgerItem): boolean =>
  !isHidden || (kind !== "prefix" && kind !== "unattributed");

/** The one to look at first: a refusal, else the fullest context, else the largest jump. */
export function worstOf(blowUps: readonly BlowUp[]): BlowUp | null {
  const of = (...kinds: BlowUpKind[]): readonly BlowUp[] => blowUps.filter(({ kind }) => kinds.includes(kind));
  for (const group of [of("overflow"), of("compaction", "near-line"), of("jump")]) {
    // Of two that are as full the earlier one; a compaction before the mere nearness at the same call.
    const most = group.reduce<BlowUp | null>(
      (worst, one) =>
        worst === null ||
        one.tokens > worst.tokens ||
        (one.tokens === worst.tokens && one.kind === "compaction" && worst.kind !== "compaction")
          ? one
          : worst,
      null,
    );
    if (most !== null) return most;
  }
  return null;
}
