// The hook that keeps large outputs out of the context, with the limit that would have cost this session least.
import { asOffloadPolicy } from "../what-if/as-policy.ts";
import { NO_POLICY } from "../what-if/what-if-types.ts";
import { effectOf } from "./policy-effect.ts";
import type { AgentPolicy, PoliciesInput, PolicyEffect } from "./agent-policy-types.ts";
import { exactly } from "../../exactly.ts";

/** Agents of `plimsoll hook install`, by the format of their files. */
const HOOKS: Readonly<Record<string, string>> = {
  "claude-code": "claude",
  codex: "codex",
  gemini: "gemini",
  copilot: "copilot",
  opencode: "opencode",
  pi: "pi",
};

const LADDER = [1000, 2000, 4000, 8000];
/** Neither nothing nor everything is read back: half of it is, as where presets are compared. */
const READ_BACK = 0.5;

export function hookPolicy(input: PoliciesInput): AgentPolicy | null {
  const agent = HOOKS[input.format];
  if (agent === undefined) return null;
  let best: { readonly offload: number; readonly effect: PolicyEffect } | null = null;
  for (const offload of LADDER) {
    const effect = effectOf(input, { offload, reread: READ_BACK });
    if (effect !== null && (best === null || weightOf(effect) < weightOf(best.effect))) best = { offload, effect };
  }
  if (best === null || weightOf(best.effect) >= weightOf(best.effect, "actual")) return null;
  const bytes = asOffloadPolicy({ offload: best.offload, envelope: NO_POLICY.envelope }).max_bytes!;
  const stored = input.ledger.items.filter(
    ({ kind, seq, tokens }) => kind === "result" && seq !== null && tokens > best.offload,
  );
  return {
    id: "hook",
    kind: "hook",
    title: "Store large outputs",
    where: "shell",
    text: `plimsoll hook install ${agent}\n# Settings, Offload policy, Fixed limit: ${bytes} bytes`,
    reason: `Of the limits tried, ${exactly(best.offload)} tokens would have cost least.`,
    note: "Assumes that half of the stored outputs are read back.",
    seqs: stored.map(({ seq }) => seq!),
    effect: best.effect,
  };
}

const weightOf = (effect: PolicyEffect, side: "actual" | "predicted" = "predicted"): number =>
  effect[side].usd ?? effect[side].promptTokens;
