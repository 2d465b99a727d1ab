// The same model at another price: answered sooner (fast mode, OpenAI's priority), later (flex, a batch), or in the United States alone.
// Files say it beside the usage; here it is part of the model's name, as resellers and other tools have it, so that each call has its
// own price. Anthropic's priority tier has the name of the model itself, and list price: what it cost is in no file.

const FAST = "-fast";
const US = "-us";
const BATCH = "-batch";

/** Names with a dot are those of resellers, which the table has as they are. */
const NAMES = /^(claude-[a-z0-9-]+?)(-fast)?(-us)?(-batch)?$/;
/** OpenAI's, also where a proxy names it. */
const OPENAI = /^((?:openai\/)?(?:gpt-\d|o\d|codex-|chatgpt-)[a-z0-9.-]*?)(?:-(flex|batch|priority|ultrafast))?$/;

/** How many times the standard price, by Anthropic's page of prices. Fast mode of other models has no price here. */
const FAST_TIMES: readonly (readonly [RegExp, number])[] = [
  [/^claude-opus-4-[67]$/, 6],
  [/^claude-(?:opus-(?:4-8|5|5-5)|fable-5-2|mythos-5-2)$/, 2],
];
/** Of each kind of token. Models before Opus 4.6 refuse a request that asks for it. */
const US_TIMES = 1.1;
const BATCH_TIMES = 0.5;
/** By OpenAI's page of prices: flex costs as a batch does. Priority of other models has no price here. */
const PRIORITY_TIMES: readonly (readonly [RegExp, number])[] = [
  [/^gpt-5\.5$/, 2.5],
  [/^gpt-(?:5(?:\.[1-4])?(?:-codex(?:-max)?)?|5\.4-mini|5\.6(?:-(?:sol|terra|luna))?|4\.1-nano)$/, 2],
  [/^gpt-6(?:\.\d)?-(?:astra|sol|terra|luna)$/, 2],
  [/^gpt-5-mini$/, 1.8],
  [/^(?:gpt-4\.1(?:-mini)?|o3)$/, 1.75],
  [/^gpt-4o$/, 1.7],
  [/^gpt-4o-mini$/, 5 / 3],
];
/** By the pages of the models; that of GPT-6.2 Sol holds to the end of February 2027. Of other models it has no price here. */
const ULTRAFAST_TIMES: readonly (readonly [RegExp, number])[] = [
  [/^gpt-(?:6-astra|6\.1-sol)$/, 6],
  [/^gpt-6\.2-sol$/, 3],
];

/** What they add to the name. Codex calls priority fast, too. */
const TIERS: ReadonlyMap<unknown, string> = new Map([
  ["flex", "-flex"],
  ["batch", BATCH],
  ["priority", "-priority"],
  ["fast", "-priority"],
  ["ultrafast", "-ultrafast"],
]);

/** What the usage of an answer says beside its tokens; OpenAI's answers say their tier beside the usage. */
type Told = { readonly speed?: unknown; readonly inference_geo?: unknown; readonly service_tier?: unknown };

/** The name that a call's model has here. */
export function variantOf(
  model: string | null,
  { speed, inference_geo: geo, service_tier: tier }: Told,
  answer: Pick<Told, "service_tier"> = {},
): string | null {
  if (model === null) return null;
  const openAi = OPENAI.exec(model);
  if (openAi !== null) return openAi[2] === undefined ? model + (TIERS.get(answer.service_tier) ?? "") : model;
  const fast = speed === "fast" && !model.endsWith(FAST) ? model + FAST : model;
  if (standardModel(fast) === null) return fast;
  return `${fast}${geo === "us" ? US : ""}${tier === "batch" ? BATCH : ""}`;
}

/** The model that answers, whatever its price; null for a name that is neither Anthropic's nor OpenAI's. */
export const standardModel = (name: string): string | null => NAMES.exec(name)?.[1] ?? OPENAI.exec(name)?.[1] ?? null;

/** Times the standard price of tokens; null where that is not known. Names may end with a date. */
export function priceTimes(name: string): number | null {
  const [, model = "", tier] = OPENAI.exec(name) ?? [];
  if (tier === "priority" || tier === "ultrafast") {
    const dearer = tier === "priority" ? PRIORITY_TIMES : ULTRAFAST_TIMES;
    return timesOf(dearer, model.replace("openai/", "").replace(/-\d{4}-\d\d-\d\d$/, ""));
  }
  if (tier !== undefined) return BATCH_TIMES;
  const [, standard = "", fast, us, batch] = NAMES.exec(name) ?? [];
  const bare = standard.replace(/-\d{8}$/, "");
  const times = fast === undefined ? 1 : timesOf(FAST_TIMES, bare);
  return times === null ? null : times * (us === undefined ? 1 : US_TIMES) * (batch === undefined ? 1 : BATCH_TIMES);
}

const timesOf = (prices: typeof FAST_TIMES, model: string): number | null =>
  prices.find(([names]) => names.test(model))?.[1] ?? null;
