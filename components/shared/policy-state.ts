// A what-if policy as the sliders, the URL, the door and other programs have it. Pure.
import { asOffloadPolicy } from "#lib/kernel/load/what-if/as-policy.ts";
import type { WhatIfRequest } from "#lib/wire/what-if-schema.ts";
import { formatTokens } from "../ui/format.ts";

export const OFF = "off";
export type OrOff = number | typeof OFF;

/** As it stands in the URL. */
export type PolicyChoice = {
  readonly offload: OrOff;
  readonly envelope: number;
  readonly reread: number;
  readonly mask: OrOff;
  readonly hysteresis: number;
  readonly trigger: OrOff;
  readonly free: OrOff;
  readonly keep: readonly string[];
  readonly since: number;
  readonly drop: readonly string[];
  readonly dedupe: boolean;
  readonly ratio: OrOff;
  readonly tail: number;
  readonly summary: number;
};

/** What stands before a slider is moved: nothing changes, and the chart shows the real load alone. */
export const FIRST_POLICY: PolicyChoice = {
  offload: OFF,
  envelope: 250,
  reread: 0,
  mask: OFF,
  // Without it each masked result breaks the cache anew: 34 % fewer tokens for 28 % more money.
  hysteresis: 20_000,
  trigger: OFF,
  free: OFF,
  keep: [],
  since: 1,
  drop: [],
  dedupe: false,
  ratio: OFF,
  tail: 2,
  summary: 4000,
};

/** Policies to begin with, each from the first one. */
export type PolicyPreset = Partial<Pick<PolicyChoice, "offload" | "mask" | "ratio">>;
export const POLICY_PRESETS: readonly {
  readonly label: string;
  readonly title: string;
  readonly choice: PolicyPreset;
}[] = [
  // Results over 2,000 are 27 % of all prompt tokens of real sessions, and reading half of them back still saves 17 %.
  {
    label: "Offload 2k",
    title: "Store tool results over 2,000 tokens outside the context",
    choice: { offload: 2000 },
  },
  { label: "Keep 10", title: "Clear all but the newest 10 tool results", choice: { mask: 10 } },
  { label: "Compact 80\u2009%", title: "Compact at 80\u2009% of the load line", choice: { ratio: 0.8 } },
];

/** Whether a choice is this preset and nothing more. */
export const isPreset = (choice: PolicyChoice, preset: PolicyPreset): boolean =>
  JSON.stringify(policyOf(choice)) === JSON.stringify(policyOf({ ...FIRST_POLICY, ...preset }));

export const STOPS = {
  offload: [500, 1000, 1500, 2000, 2500, 3000, 4000, 6000, 8000, 12_000, 20_000, OFF],
  envelope: [60, 100, 150, 250, 400, 600, 1000],
  reread: Array.from({ length: 21 }, (_, i) => i / 20),
  mask: [3, 5, 8, 10, 15, 20, 30, 50, OFF],
  hysteresis: [0, 5000, 10_000, 20_000, 40_000, 80_000],
  trigger: [20_000, 40_000, 60_000, 80_000, 100_000, 120_000, 150_000, 200_000, 400_000, OFF],
  free: [5000, 10_000, 20_000, 40_000, 60_000, 80_000, OFF],
  ratio: [0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, OFF],
  tail: [0, 1, 2, 3, 4, 6, 8, 10],
  summary: [1000, 2000, 4000, 6000, 8000, 12_000, 16_000],
} as const satisfies Partial<Record<keyof PolicyChoice, readonly OrOff[]>>;

/** The stop that stands for a value; one between two stops has the nearer one. */
export function stopOf(stops: readonly OrOff[], value: OrOff): number {
  const exact = stops.indexOf(value);
  if (exact >= 0 || value === OFF) return Math.max(0, exact);
  let best = 0;
  stops.forEach((stop, i) => {
    const held = stops[best];
    if (stop !== OFF && (held === OFF || Math.abs(stop - value) < Math.abs((held ?? 0) - value))) best = i;
  });
  return best;
}

/** Nothing would change: the curve would be the real one. */
export const isNothing = (choice: PolicyChoice): boolean =>
  choice.offload === OFF && !isClearing(choice) && choice.ratio === OFF && choice.drop.length === 0 && !choice.dedupe;

/** Old results are cleared: by how many stay, by when it comes, or by how much it frees. */
export const isClearing = ({ mask, trigger, free }: PolicyChoice): boolean =>
  mask !== OFF || trigger !== OFF || free !== OFF;

const orNull = (value: OrOff): number | null => (value === OFF ? null : value);

/** As the door's schema names it. What has no effect is left at its first value, so that it asks nothing new. */
export function policyOf(choice: PolicyChoice): WhatIfRequest {
  const { offload, mask, ratio } = choice;
  const clears = isClearing(choice);
  return {
    offload: orNull(offload),
    envelope: offload === OFF && !clears ? FIRST_POLICY.envelope : choice.envelope,
    reread: offload === OFF && !clears ? 0 : choice.reread,
    mask: orNull(mask),
    hysteresis: clears ? choice.hysteresis : 0,
    trigger: orNull(choice.trigger),
    free: orNull(choice.free),
    keepTools: clears ? [...choice.keep] : [],
    fromCall: clears ? choice.since : 1,
    dropTools: [...choice.drop],
    dedupe: choice.dedupe,
    ratio: orNull(ratio),
    tail: ratio === OFF ? FIRST_POLICY.tail : choice.tail,
    summary: ratio === OFF ? FIRST_POLICY.summary : choice.summary,
  };
}

/** What the sliders say. */
export const WORDS = {
  offload: (value: OrOff) => (value === OFF ? "nothing" : `${formatTokens(value)} tok`),
  when: (value: OrOff) => (value === OFF ? "at any size" : `${formatTokens(value)} tok`),
  until: (value: OrOff) => (value === OFF ? "all it may" : `${formatTokens(value)} tok`),
  mask: (value: OrOff) => (value === OFF ? "all" : `${value} ${value === 1 ? "result" : "results"}`),
  tokens: (value: OrOff) => `${value === OFF ? 0 : formatTokens(value)} tok`,
  share: (value: OrOff) => (value === OFF ? OFF : `${Math.round(value * 100)}\u2009%`),
  ratio: (value: OrOff) => (value === OFF ? "where it did" : `${Math.round(value * 100)}\u2009% of the line`),
  turns: (value: OrOff) => (value === OFF ? OFF : `${value} ${value === 1 ? "turn" : "turns"}`),
} as const;

/** For the settings' door, and for a session that is made: what the replay did. Null where nothing is offloaded. */
export function offloadPolicyText({ offload, envelope }: PolicyChoice): string | null {
  if (offload === OFF) return null;
  const { preset, max_bytes, context_percentage, headroom_percentage, envelope_style } = asOffloadPolicy({
    offload,
    envelope,
  });
  const policy = { preset, max_bytes, context_percentage, headroom_percentage, envelope_style };
  return JSON.stringify({ policy }, null, 2);
}

/** For the API that clears tool results itself. Null where nothing is cleared. */
export function contextEditingText(choice: PolicyChoice): string | null {
  const { mask, hysteresis, trigger, free, keep } = choice;
  return !isClearing(choice)
    ? null
    : JSON.stringify(
        {
          context_management: {
            edits: [
              {
                type: "clear_tool_uses_20250919",
                ...(trigger !== OFF && { trigger: { type: "input_tokens", value: trigger } }),
                ...(mask !== OFF && { keep: { type: "tool_uses", value: mask } }),
                clear_at_least: { type: "input_tokens", value: free === OFF ? hysteresis : Math.max(hysteresis, free) },
                ...(keep.length > 0 && { exclude_tools: keep }),
              },
            ],
          },
        },
        null,
        2,
      );
}

/** The same question on the command line. */
export function commandText(session: string, choice: PolicyChoice): string {
  const request = policyOf(choice);
  const words = ["plimsoll", "whatif", session];
  if (request.offload !== null) words.push("--offload", String(request.offload));
  if (request.offload !== null && request.envelope !== FIRST_POLICY.envelope)
    words.push("--envelope", String(request.envelope));
  if (request.reread > 0) words.push("--reread", String(request.reread));
  if (request.mask !== null) words.push("--mask", String(request.mask));
  if (isClearing(choice)) words.push("--hysteresis", String(request.hysteresis));
  if (request.trigger !== null) words.push("--trigger", String(request.trigger));
  if (request.free !== null) words.push("--free", String(request.free));
  for (const tool of request.keepTools) words.push("--keep-tool", quoted(tool));
  if (request.fromCall > 1) words.push("--from-call", String(request.fromCall));
  for (const tool of request.dropTools) words.push("--drop-tool", quoted(tool));
  if (request.dedupe) words.push("--dedupe");
  if (request.ratio !== null)
    words.push("--ratio", String(request.ratio), "--tail", String(request.tail), "--summary", String(request.summary));
  return words.join(" ");
}

const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;
