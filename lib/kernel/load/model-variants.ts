// The same model of Anthropic's at another price: answered sooner (fast mode), run in the United States alone, or in a batch. Files say
// it beside the usage; here it is part of the model's name, as resellers and other tools have it, so that each call has its own price.
// Priority tier has the name of the model itself: as with a subscription, what it cost is not in the file, and list price is.

const FAST = "-fast";
const US = "-us";
const BATCH = "-batch";

/** Names with a dot are those of resellers, which the table has as they are. */
const NAMES = /^(claude-[a-z0-9-]+?)(-fast)?(-us)?(-batch)?$/;

/** How many times the standard price, by Anthropic's page of prices. Fast mode of other models has no price here. */
const FAST_TIMES: readonly (readonly [RegExp, number])[] = [
  [/^claude-opus-4-[67]$/, 6],
  [/^claude-opus-(?:4-8|5)$/, 2],
];
/** Of each kind of token. Models before Opus 4.6 refuse a request that asks for it. */
const US_TIMES = 1.1;
const BATCH_TIMES = 0.5;

/** What the usage of an answer says beside its tokens. */
type Told = { readonly speed?: unknown; readonly inference_geo?: unknown; readonly service_tier?: unknown };

/** The name that a call's model has here. */
export function variantOf(
  model: string | null,
  { speed, inference_geo: geo, service_tier: tier }: Told,
): string | null {
  if (model === null) return null;
  const fast = speed === "fast" && !model.endsWith(FAST) ? model + FAST : model;
  if (standardModel(fast) === null) return fast;
  return `${fast}${geo === "us" ? US : ""}${tier === "batch" ? BATCH : ""}`;
}

/** The model that answers, whatever its price; null for a name that is not one of Anthropic's. */
export const standardModel = (name: string): string | null => NAMES.exec(name)?.[1] ?? null;

/** Times the standard price of tokens; null where that is not known. Names may end with a date. */
export function priceTimes(name: string): number | null {
  const [, standard = "", fast, us, batch] = NAMES.exec(name) ?? [];
  const bare = standard.replace(/-\d{8}$/, "");
  const times = fast === undefined ? 1 : (FAST_TIMES.find(([names]) => names.test(bare))?.[1] ?? null);
  return times === null ? null : times * (us === undefined ? 1 : US_TIMES) * (batch === undefined ? 1 : BATCH_TIMES);
}
