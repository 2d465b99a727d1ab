// A policy made ready for one session: what each item would have weighed when it came in.
import type { EventFacts, SessionLoadFacts, ToolSchema } from "../culprits/culprit-types.ts";
import type { Ledger, LedgerItem } from "../ledger-types.ts";
import { ARTIFACT_TOOLS } from "../../artifacts/tool-names.ts";
import type { ClearingRule } from "./masking.ts";
import { isHiddenPrefix } from "./prompt-positions.ts";
import type { WhatIfPolicy } from "./what-if-types.ts";

export type WhatIfInput = Pick<
  SessionLoadFacts,
  "ledger" | "facts" | "compactions" | "schemas" | "loadLine" | "ratesOf"
> & {
  /** Events with which turns start; where it is left out, every text of the user is taken for one. */
  readonly turnStarts?: ReadonlySet<number>;
  /** Indexes of calls that another session was billed for: they are replayed and not summed up. */
  readonly inherited?: ReadonlySet<number>;
};

/** A reading gives back this much at most: a page, not the whole output. */
export const READ_BACK_TOKENS = 2000;
/** What stands in place of bytes that are further up already. */
const POINTER_TOKENS = 20;

export type Plan = {
  /** Whether an output is stored when it comes in, with so many tokens in the prompt before it. */
  readonly offloads: ((item: LedgerItem, usedTokens: number | null) => boolean) | null;
  readonly envelope: number;
  readonly reread: number;
  /** Old results are cleared; null: none. */
  readonly clearing: ClearingRule | null;
  /** Tokens of items without what the policy takes out of them: dropped schemas, bytes that are there already. */
  readonly lighter: ReadonlyMap<number, number>;
  /** Tokens that left the front of the hidden prefix. */
  readonly offTools: number;
  /** Compaction of our own, in place of the agent's. */
  readonly compactAt: number | null;
  readonly tail: number;
  readonly summary: number;
  readonly turnStarts: ReadonlySet<number>;
};

export function planOf(input: WhatIfInput, policy: WhatIfPolicy): Plan {
  const { ledger, facts, schemas, loadLine } = input;
  const { offload, envelope, reread, ratio, tail, summary } = policy;
  const dropped = schemas.filter(({ name }) => policy.dropTools.includes(name));
  return {
    offloads: offload === null ? null : (item) => item.tokens > offload,
    envelope,
    reread,
    clearing: clearingRule(policy),
    lighter: new Map([
      ...withoutSchemas(ledger, dropped),
      ...capped(ledger, policy.caps),
      ...(policy.dedupe ? repeated(ledger, facts) : []),
    ]),
    offTools: hiddenTokens(dropped),
    compactAt: ratio === null || loadLine === null ? null : ratio * loadLine,
    tail,
    summary,
    turnStarts: input.turnStarts ?? userTexts(ledger.items),
  };
}

/** A result that could be stored: what reads artifacts back never is, and a small one is left alone. */
export const canOffload = (item: LedgerItem, envelope: number): boolean =>
  item.kind === "result" && item.tokens > envelope && !ARTIFACT_TOOLS.has(item.toolName ?? "");

/** Results that a provider's own clearing keeps where nothing is said (clear_tool_uses_20250919). */
const KEPT = 3;

/** Clearing is asked for by how many stay, by when it comes or by how much it frees: one of them is enough. */
export function clearingRule({
  mask,
  hysteresis,
  trigger,
  free,
  keepTools,
  fromCall,
}: WhatIfPolicy): ClearingRule | null {
  if (mask === null && trigger === null && free === null) return null;
  return { keep: mask ?? KEPT, atLeast: hysteresis, trigger, free, keepTools: new Set(keepTools), fromCall };
}

/** A session that nothing is changed in. */
export const planOfNothing = (ledger: Ledger): Plan => ({
  offloads: null,
  envelope: 0,
  reread: 0,
  clearing: null,
  lighter: new Map(),
  offTools: 0,
  compactAt: null,
  tail: 0,
  summary: 0,
  turnStarts: userTexts(ledger.items),
});

const hiddenTokens = (schemas: readonly ToolSchema[]): number =>
  schemas.filter(({ seq }) => seq === null).reduce((sum, { tokens }) => sum + tokens, 0);

/** Schemas that an event of the file lists are taken off that event, others off the first hidden prefix of each epoch. */
function* withoutSchemas({ items }: Ledger, schemas: readonly ToolSchema[]): Iterable<[number, number]> {
  if (schemas.length === 0) return;
  const listed = Map.groupBy(schemas, ({ seq }) => seq);
  const hidden = hiddenTokens(schemas);
  for (const [position, item] of items.entries()) {
    const before = items[position - 1];
    const isFirst =
      isHiddenPrefix(item) && !(before !== undefined && isHiddenPrefix(before) && before.from === item.from);
    const here = item.seq === null ? [] : (listed.get(item.seq) ?? []);
    const off = isFirst ? hidden : here.reduce((sum, { tokens }) => sum + tokens, 0);
    if (off > 0) yield [position, Math.max(0, item.tokens - off)];
  }
}

function* capped({ items }: Ledger, caps: WhatIfPolicy["caps"]): Iterable<[number, number]> {
  if (caps === undefined) return;
  for (const [position, { seq, tokens }] of items.entries()) {
    const most = seq === null ? undefined : caps.get(seq);
    if (most !== undefined && most < tokens) yield [position, most];
  }
}

/** Results with the bytes of one that is still in the context: they become a pointer to it. */
function* repeated({ calls, items }: Ledger, facts: ReadonlyMap<number, EventFacts>): Iterable<[number, number]> {
  const first = new Map<string, LedgerItem>();
  for (const [position, item] of items.entries()) {
    if (item.kind !== "result" || item.seq === null) continue;
    const key = facts.get(item.seq)?.outputKey ?? null;
    if (key === null) continue;
    const before = first.get(key);
    const isThere =
      before !== undefined && before.to > item.from && calls[before.from]?.epoch === calls[item.from]?.epoch;
    if (!isThere) first.set(key, item);
    else if (item.tokens > POINTER_TOKENS) yield [position, POINTER_TOKENS];
  }
}

const userTexts = (items: readonly LedgerItem[]): ReadonlySet<number> =>
  new Set(
    items.flatMap((item) => (item.kind === "user" && item.itemClass === "user" && item.seq !== null ? [item.seq] : [])),
  );
