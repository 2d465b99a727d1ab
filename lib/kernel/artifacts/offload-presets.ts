// When a tool output goes to the store instead of the context: policy is data. Each design that we follow is a preset,
// dated where its numbers moved: within four months one of them went from 5 % of the window to 25 %.
import { z } from "zod";
import { fail } from "../errors.ts";

export const ENVELOPE_STYLES = ["lean", "unified", "agentium", "secondbrain", "vectara", "openclaw", "note"] as const;
export type EnvelopeStyle = (typeof ENVELOPE_STYLES)[number];

export const PRESET_NAMES = [
  "plimsoll",
  "window",
  "agentium",
  "secondbrain",
  "vectara-2026-03",
  "vectara-current",
  "openclaw",
  "off",
] as const;
export type PresetName = (typeof PRESET_NAMES)[number];

const count = z.int().min(1);
const share = z.number().min(0.01).max(1);
const toolNames = z.array(z.string().min(1).max(256)).max(1000);

const truncateLimits = z.strictObject({
  max_bytes: z.int().min(256),
  max_lines: z.int().min(3),
  head_share: z.number().min(0).max(1),
  tail_max_bytes: count,
});
export type TruncateLimits = z.infer<typeof truncateLimits>;

const fields = z.strictObject({
  preset: z.enum(PRESET_NAMES),
  /** `auto`: on when the agent has a tool that reads artifacts back. */
  enabled: z.union([z.boolean(), z.literal("auto")]),
  /** `auto`: artifact when the agent has a tool that reads artifacts back, else truncate. */
  mode: z.enum(["auto", "artifact", "truncate"]),
  /** A fixed limit takes the place of the share of the window, and has no floor. */
  max_bytes: count.nullable(),
  max_chars: count.nullable(),
  /** Null: size in bytes decides nothing (max_chars does). */
  context_percentage: share.nullable(),
  min_threshold_bytes: z.int().min(1024),
  max_threshold_bytes: z.int().min(1024),
  /** 1 switches the gate off. */
  headroom_percentage: share,
  chars_per_token: z.number().min(0.5).max(16),
  context_window_tokens: count,
  preview_chars: z.int().min(0).max(2000),
  ttl_seconds: count.nullable(),
  exempt_tools: toolNames,
  /** `*` stands for every tool. */
  always_tools: toolNames,
  /** What these return is stored at any size, and only a line in the context says so. */
  exclude_from_context: toolNames,
  truncate: truncateLimits,
  envelope_style: z.enum(ENVELOPE_STYLES),
});

/** A whole policy, as it is stored beside the decisions that it made. */
export const offloadPolicy = fields.refine((policy) => policy.min_threshold_bytes <= policy.max_threshold_bytes, {
  path: ["min_threshold_bytes"],
  message: "is over max_threshold_bytes",
});
export type OffloadPolicy = Readonly<z.infer<typeof offloadPolicy>>;

/** What a person or an agent may give: a preset, and what differs from it. */
export const policyInput = fields.extend({ truncate: truncateLimits.partial() }).partial();
export type PolicyInput = z.infer<typeof policyInput>;

const plimsoll: OffloadPolicy = {
  preset: "plimsoll",
  enabled: "auto",
  mode: "auto",
  max_bytes: null,
  max_chars: null,
  // 1 % of 200,000 tokens is 8,000 bytes: in the sessions that were measured, results over 2,000 tokens are 27 % of all
  // prompt tokens, results over 20,000 only 2.3 %. Higher limits leave most of the load where it is.
  context_percentage: 0.01,
  min_threshold_bytes: 4096,
  max_threshold_bytes: 16_384,
  headroom_percentage: 0.7,
  chars_per_token: 4,
  context_window_tokens: 200_000,
  preview_chars: 200,
  ttl_seconds: null,
  exempt_tools: [],
  always_tools: [],
  exclude_from_context: [],
  truncate: { max_bytes: 12_288, max_lines: 400, head_share: 0.7, tail_max_bytes: 4096 },
  envelope_style: "lean",
};

/** Limits of a fixed size: no share of the window, no headroom. */
const fixed = { enabled: true, mode: "artifact", context_percentage: null, headroom_percentage: 1 } as const;

export const PRESETS: Readonly<Record<PresetName, OffloadPolicy>> = {
  plimsoll,
  window: { ...plimsoll, preset: "window", context_percentage: 0.05, max_threshold_bytes: 32_768 },
  agentium: { ...plimsoll, ...fixed, preset: "agentium", max_bytes: 51_200, envelope_style: "agentium" },
  secondbrain: {
    ...plimsoll,
    ...fixed,
    preset: "secondbrain",
    max_chars: 12_000,
    ttl_seconds: 3600,
    envelope_style: "secondbrain",
  },
  "vectara-2026-03": {
    ...plimsoll,
    preset: "vectara-2026-03",
    context_percentage: 0.05,
    max_threshold_bytes: 32_768,
    headroom_percentage: 1,
    envelope_style: "vectara",
  },
  "vectara-current": {
    ...plimsoll,
    preset: "vectara-current",
    enabled: true,
    context_percentage: 0.25,
    max_threshold_bytes: 1_048_576,
    envelope_style: "vectara",
  },
  openclaw: { ...plimsoll, ...fixed, preset: "openclaw", always_tools: ["*"], envelope_style: "openclaw" },
  off: { ...plimsoll, preset: "off", enabled: false },
};

/** A preset by name, or a preset with changes. What is wrong in it is named, field by field. */
export function policyOf(given: PresetName | PolicyInput = "plimsoll"): OffloadPolicy {
  const input = policyInput.safeParse(typeof given === "string" ? { preset: given } : given);
  if (!input.success) return refuse(input.error);
  const base = PRESETS[input.data.preset ?? "plimsoll"];
  const changes = Object.fromEntries(Object.entries(input.data).filter(([, value]) => value !== undefined));
  const whole = offloadPolicy.safeParse({
    ...base,
    ...changes,
    truncate: { ...base.truncate, ...input.data.truncate },
  });
  return whole.success ? whole.data : refuse(whole.error);
}

function refuse(error: z.ZodError): never {
  const said = error.issues.map((issue) => `${issue.path.join(".") || "policy"}: ${issue.message}`).join("; ");
  fail("invalid", `Not an offload policy: ${said}. Presets: ${PRESET_NAMES.join(", ")}.`);
}
