// Fast mode of Anthropic's models: the same model, answered sooner at a higher price. Files name the speed beside the usage; here
// it is part of the model's name, as resellers and other tools have it, so that each call has the price it was asked for.

const SUFFIX = "-fast";
/** Names with a dot are those of resellers, which the table has as they are. */
const NAMES = /^claude-[a-z0-9-]+-fast$/;

/** How many times the standard price, by Anthropic's page of prices. Fast mode of other models has no price here. */
const TIMES: readonly (readonly [RegExp, number])[] = [
  [/^claude-opus-4-[67]$/, 6],
  [/^claude-opus-(?:4-8|5)$/, 2],
];

/** The name that a call's model has here. */
export const atSpeed = (model: string | null, speed: unknown): string | null =>
  model === null || speed !== "fast" || model.endsWith(SUFFIX) ? model : model + SUFFIX;

/** The model that answers, without its speed; null for a name that says none. */
export const standardModel = (name: string): string | null => (NAMES.test(name) ? name.slice(0, -SUFFIX.length) : null);

/** Null where the price of fast mode is not known. Names may end with a date. */
export const fastTimes = (standard: string): number | null =>
  TIMES.find(([names]) => names.test(standard.replace(/-\d{8}$/, "")))?.[1] ?? null;
