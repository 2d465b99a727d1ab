// A policy in sentences, and its numbers one by one.
import { thresholdOf } from "#lib/kernel/artifacts/offload.ts";
import { PRESETS, type OffloadPolicy, type PresetName } from "#lib/kernel/artifacts/offload-presets.ts";
import { formatDuration, formatPercent, formatTokens } from "../ui/format.ts";

/** Whose numbers a preset has. */
export const PRESET_WORDS: Record<PresetName, string> = {
  plimsoll: "ours: most of the load, at the least reading back",
  window: "a share of the window, as first published",
  agentium: "a fixed size in bytes",
  secondbrain: "a fixed size in characters, kept for an hour",
  "vectara-2026-03": "5 % of the window, as of March 2026",
  "vectara-current": "a quarter of the window, as it is now",
  openclaw: "every result, however small",
  off: "nothing is offloaded",
};

/** The size over which an output goes, in few words. */
export function limitWords(policy: OffloadPolicy): string {
  if (policy.enabled === false) return "none";
  if (policy.always_tools.includes("*")) return "every output";
  const threshold = thresholdOf(policy);
  const parts = [
    threshold === null ? "" : `${formatTokens(threshold)} bytes`,
    policy.max_chars === null ? "" : `${formatTokens(policy.max_chars)} characters`,
  ].filter((part) => part !== "");
  return parts.length === 0 ? "none" : parts.join(" or ");
}

/** What the policy does, sentence by sentence. */
export function policySentences(policy: OffloadPolicy): string[] {
  if (policy.enabled === false) return ["Nothing is offloaded: every output enters the context whole."];
  const said = [whatGoes(policy)];
  if (policy.headroom_percentage < 1)
    said.push(
      `Above ${formatPercent(policy.headroom_percentage)} of the window, every output over ${formatTokens(policy.min_threshold_bytes)} bytes is offloaded.`,
    );
  if (policy.exempt_tools.length > 0) said.push(`What ${listed(policy.exempt_tools)} return stays.`);
  if (policy.enabled === "auto" && policy.mode !== "truncate")
    said.push("Agents that cannot read artifacts back keep every output.");
  if (policy.ttl_seconds !== null) said.push(`Artifacts expire after ${formatDuration(policy.ttl_seconds * 1000)}.`);
  return said;
}

function whatGoes(policy: OffloadPolicy): string {
  const goes = policy.mode === "truncate" ? "is cut to its head and tail" : "is stored; the model sees an envelope";
  if (policy.always_tools.includes("*")) return `Every output ${goes}.`;
  const limit = limitWords(policy);
  if (limit === "none") return "No output is over a limit of this policy.";
  const window =
    policy.max_bytes === null && policy.context_percentage !== null
      ? ` (${formatPercent(policy.context_percentage)} of a ${formatTokens(policy.context_window_tokens)}-token window)`
      : "";
  const always = policy.always_tools.length > 0 ? ` So is everything that ${listed(policy.always_tools)} return.` : "";
  return `An output over ${limit}${window} ${goes}.${always}`;
}

const listed = (names: readonly string[]): string =>
  names.length === 1 ? names[0]! : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;

export const POLICY_GROUPS = ["What is offloaded", "What the model sees", "Tools and expiry"] as const;

export type PolicyField = {
  readonly key: keyof OffloadPolicy;
  readonly group: (typeof POLICY_GROUPS)[number];
  readonly label: string;
  readonly unit?: string;
  readonly about: string;
  readonly kind: "count" | "share" | "names" | "style" | "mode" | "number";
  /** Empty stands for none. */
  readonly optional?: boolean;
};

export const POLICY_FIELDS: readonly PolicyField[] = [
  {
    key: "context_percentage",
    group: "What is offloaded",
    label: "Share of the window",
    unit: "%",
    kind: "share",
    optional: true,
    about: "One output may take this much of the context window, at 4 bytes a token; more is offloaded.",
  },
  {
    key: "min_threshold_bytes",
    group: "What is offloaded",
    label: "Floor",
    unit: "bytes",
    kind: "count",
    about: "Outputs up to this size always stay in the context.",
  },
  {
    key: "max_threshold_bytes",
    group: "What is offloaded",
    label: "Ceiling",
    unit: "bytes",
    kind: "count",
    about: "Outputs over this size are always offloaded.",
  },
  {
    key: "headroom_percentage",
    group: "What is offloaded",
    label: "Headroom",
    unit: "%",
    kind: "share",
    about: "Above this share of the window, every output over the floor is offloaded. 100: off.",
  },
  {
    key: "context_window_tokens",
    group: "What is offloaded",
    label: "Window",
    unit: "tokens",
    kind: "count",
    about: "Used when a session does not report its window.",
  },
  {
    key: "max_bytes",
    group: "What is offloaded",
    label: "Fixed limit",
    unit: "bytes",
    kind: "count",
    optional: true,
    about: "Replaces the share of the window; no floor, no ceiling. Empty: none.",
  },
  {
    key: "max_chars",
    group: "What is offloaded",
    label: "Fixed limit of text",
    unit: "characters",
    kind: "count",
    optional: true,
    about: "Counted in characters, not bytes. Empty: none.",
  },
  {
    key: "preview_chars",
    group: "What the model sees",
    label: "Preview",
    unit: "characters",
    kind: "number",
    about: "Length of the output's start in the envelope; for errors also its end.",
  },
  {
    key: "envelope_style",
    group: "What the model sees",
    label: "Envelope",
    kind: "style",
    about: "The fields that the model sees in place of the output.",
  },
  {
    key: "mode",
    group: "What the model sees",
    label: "Action",
    kind: "mode",
    about: "Store and send an envelope, or cut. Auto: store if the agent can read back.",
  },
  {
    key: "ttl_seconds",
    group: "Tools and expiry",
    label: "Expires after",
    unit: "seconds",
    kind: "count",
    optional: true,
    about: "After this time the next sweep frees its bytes. Empty: kept as long as its session.",
  },
  {
    key: "exempt_tools",
    group: "Tools and expiry",
    label: "Never offload",
    kind: "names",
    about: "Tool names, comma-separated. The tools that read artifacts back are always exempt.",
  },
  {
    key: "always_tools",
    group: "Tools and expiry",
    label: "Always offload",
    kind: "names",
    about: "Tool names, comma-separated; * stands for every tool.",
  },
];

/** A value as the field shows it. */
export function textOf(field: PolicyField, policy: OffloadPolicy): string {
  const value = policy[field.key];
  if (value === null) return "";
  if (field.kind === "share") return String(Number(((value as number) * 100).toPrecision(12)));
  return Array.isArray(value) ? value.join(", ") : String(value);
}

/** The value of the default policy, with its unit: `2,000 bytes`, `none`. */
export function defaultText(field: PolicyField): string {
  const value = PRESETS.plimsoll[field.key];
  const text = textOf(field, PRESETS.plimsoll);
  if (text === "") return "none";
  const shown = typeof value === "number" && field.kind !== "share" ? formatTokens(value) : text;
  return field.unit === undefined ? shown : `${shown}${field.unit === "%" ? "\u2009" : " "}${field.unit}`;
}

/** What a field holds, as the policy takes it; what is no number stays as it is, and is refused by name. */
export function valueOf(field: PolicyField, text: string): unknown {
  const trimmed = text.trim();
  if (field.kind === "names") return trimmed === "" ? [] : trimmed.split(/\s*,\s*/u).filter((name) => name !== "");
  if (field.kind === "style" || field.kind === "mode") return trimmed;
  if (trimmed === "") return field.optional === true ? null : Number.NaN;
  const number = Number(trimmed.replaceAll(/[,\u2009\s]/gu, ""));
  return field.kind === "share" ? Number((number / 100).toPrecision(12)) : number;
}
