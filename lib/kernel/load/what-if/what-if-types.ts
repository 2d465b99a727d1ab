// What if another policy had stood? The agent is held to what it did ("same turns assumed"): only what its context carried
// is changed, so a prediction is an upper bound.
export type WhatIfPolicy = {
  /** Tool results over so many tokens become an envelope; null: none. */
  readonly offload: number | null;
  /** Tokens of an envelope. */
  readonly envelope: number;
  /** Share of offloaded results that are read back, 0 to 1: each costs a call and a part of its tokens again. */
  readonly reread: number;
  /** Only the newest K tool results stay whole; null: all. */
  readonly mask: number | null;
  /** Clearing waits until it frees so many tokens at once. */
  readonly hysteresis: number;
  /** Results are cleared when the prompt comes to so many tokens; null: as soon as something may go. */
  readonly trigger: number | null;
  /** The oldest are cleared until so many tokens are free; null: all that may go. */
  readonly free: number | null;
  /** Results of these tools are never cleared. */
  readonly keepTools: readonly string[];
  /** Nothing is cleared before this call. */
  readonly fromCall: number;
  /** Schemas of these tools are left out of the prefix. */
  readonly dropTools: readonly string[];
  /** The same bytes read again become a pointer to the first. */
  readonly dedupe: boolean;
  /** Tokens that events weigh at most, by seq: what a limit of the agent would have left of each. */
  readonly caps?: ReadonlyMap<number, number>;
  /** Compact at this share of the load line; null: where the agent did. */
  readonly ratio: number | null;
  /** Turns that a compaction leaves whole. */
  readonly tail: number;
  /** Tokens of its summary. */
  readonly summary: number;
};

/** Nothing is changed: the replay of it equals what was. */
export const NO_POLICY: WhatIfPolicy = {
  offload: null,
  envelope: 250,
  reread: 0,
  mask: null,
  hysteresis: 0,
  trigger: null,
  free: null,
  keepTools: [],
  fromCall: 1,
  dropTools: [],
  dedupe: false,
  ratio: null,
  tail: 2,
  summary: 4000,
};

export type Outcome = {
  /** Σ prompt tokens over all calls, calls that reading back adds included. */
  readonly promptTokens: number;
  readonly peak: number;
  /** $ of the input of calls that have a price; null when none has. */
  readonly usd: number | null;
  readonly compactions: number;
};

export type WhatIf = {
  readonly policy: WhatIfPolicy;
  readonly actual: Outcome;
  /** Nothing is read back, the policy's share is, everything is. */
  readonly low: Outcome;
  readonly expected: Outcome;
  readonly high: Outcome;
  /** Prompt of each call, as it was and under the policy with its own share. */
  readonly calls: readonly { readonly call: number; readonly actual: number; readonly predicted: number }[];
  /** Sentences that a person must read first: a policy that saves tokens and costs money, an edit of the cached prefix. */
  readonly warnings: readonly string[];
  /** $ that edits of the cached prefix cost, in the expected case. */
  readonly cachePenaltyUsd: number | null;
};
