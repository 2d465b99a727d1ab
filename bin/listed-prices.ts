// Prices of providers' own pages that the pinned table does not have, or has otherwise: models newer than it, prices that changed
// since, and models that it knows from resellers alone. In dollars a million tokens; pages were read in their copies of November 2026.
// A row that the table has by now can go: `listed-prices.test.ts` says so.

/** Input, read from the cache, written to it, output, and written for an hour where a page names that. */
type Price = readonly [input: number, read: number, write: number, output: number, hour?: number];
type Listed = {
  readonly names: RegExp;
  /** As the table calls it; a name of another provider's has that one's price. */
  readonly provider: string;
  readonly window: number;
  /** One after the other; before the first with a day, the table's. */
  readonly prices: readonly {
    readonly since?: string;
    readonly price: Price;
    /** Of prompts longer than so many tokens. */
    readonly above?: readonly (readonly [tokens: number, price: Price])[];
    /** Twice the price at DeepSeek's hours: 01:00 to 04:00 and 06:00 to 10:00 UTC, Monday to Friday. */
    readonly isDearerByDay?: true;
  }[];
};

/** Over 272,000 tokens of input all of a request costs twice as much, its answer half as much again: developers.openai.com. */
const openAi = (names: RegExp, price: Price): Listed => {
  const [input, read, write, output] = price;
  const above = [[272_000, [input * 2, read * 2, write * 2, output * 1.5]]] as const;
  return { names, provider: "openai", window: 1_050_000, prices: [{ price, above }] };
};

/** docs.z.ai, Pricing. The table has Zhipu's prices in China for such names. */
const zai = (names: RegExp, [input, read, output]: readonly [number, number, number], window = 200_000): Listed => ({
  names,
  provider: "zai",
  window,
  prices: [{ price: [input, read, input, output] }],
});

/** Alibaba Cloud's Model Studio, Singapore: a prompt read from the cache costs a fifth, one written to it 1.25 times. */
const alibaba = (
  names: RegExp,
  [first, ...rest]: readonly (readonly [above: number, input: number, output: number, read?: number])[],
  window = 1_000_000,
): Listed => {
  const priceOf = ([, input, output, read = 0.2]: typeof first & {}): Price => [
    input,
    input * read,
    input * 1.25,
    output,
  ];
  const above = rest.map((tier) => [tier[0], priceOf(tier)] as const);
  return { names, provider: "alibaba", window, prices: [{ price: priceOf(first!), above }] };
};

const LISTED: readonly Listed[] = [
  // platform.claude.com, Pricing.
  {
    names: /^claude-(?:haiku-5[-.]5|5\.5-haiku)(?:[-@]\d{8})?$/,
    provider: "anthropic",
    window: 1_000_000,
    prices: [{ price: [0.1, 0.01, 0.125, 0.5, 0.2], above: [[100_000, [0.5, 0.05, 0.625, 2.5, 1]]] }],
  },
  {
    names: /^claude-(?:sonnet-5[-.]5|5\.5-sonnet)(?:[-@]\d{8})?$/,
    provider: "anthropic",
    window: 1_000_000,
    prices: [{ price: [2, 0.2, 2.5, 10, 4] }, { since: "2026-10-07", price: [2, 0.1, 2.5, 10, 4] }],
  },
  {
    names: /^claude-(?:fable-5[-.]2|5\.2-fable)(?:[-@]\d{8})?$/,
    provider: "anthropic",
    window: 1_000_000,
    prices: [{ price: [8, 0.2, 10, 40, 16] }],
  },
  // developers.openai.com, the pages of the models.
  openAi(/^gpt-6\.[12]-sol(?:-\d{4}-\d\d-\d\d)?$/, [2, 0.1, 2.5, 10]),
  openAi(/^gpt-6\.1-terra(?:-\d{4}-\d\d-\d\d)?$/, [1, 0.05, 1.25, 5]),
  openAi(/^gpt-6\.2-astra(?:-\d{4}-\d\d-\d\d)?$/, [8, 0.4, 10, 40]),
  zai(/^glm-4\.[567]$/i, [0.6, 0.11, 2.2]),
  zai(/^glm-4\.5-air$/i, [0.2, 0.03, 1.1], 131_072),
  zai(/^glm-4\.7-flashx$/i, [0.07, 0.01, 0.4]),
  zai(/^glm-5$/i, [1, 0.2, 3.2]),
  zai(/^glm-5-turbo$/i, [1.2, 0.24, 4]),
  zai(/^glm-5\.1$/i, [1.4, 0.26, 4.4]),
  zai(/^glm-5\.[23]$/i, [1.4, 0.26, 4.4], 1_000_000),
  zai(/^glm-5\.3-flash$/i, [0.075, 0.015, 0.25], 1_000_000),
  // api-docs.deepseek.com, News and Pricing: V3.1, V3.2, V4 Flash under the old names, and what was read from the cache cheaper.
  {
    names: /^deepseek-(?:chat|reasoner)$/,
    provider: "deepseek",
    window: 128_000,
    prices: [
      { since: "2025-09-05T16:00:00Z", price: [0.56, 0.07, 0.56, 1.68] },
      { since: "2025-09-29", price: [0.28, 0.028, 0.28, 0.42] },
      { since: "2026-04-24", price: [0.14, 0.028, 0.14, 0.28] },
      { since: "2026-04-26", price: [0.14, 0.0028, 0.14, 0.28] },
    ],
  },
  {
    names: /^deepseek-(?:v4-|v4\.1-)?flash(?:-[\w-]+)?$/,
    provider: "deepseek",
    window: 1_000_000,
    prices: [
      { since: "2026-08-17", price: [0.22, 0.007, 0.22, 0.66], isDearerByDay: true },
      { since: "2026-09-10T04:00:00Z", price: [0.15, 0.003, 0.15, 0.6], isDearerByDay: true },
    ],
  },
  {
    names: /^deepseek-v4-pro(?:-[\w-]+)?$/,
    provider: "deepseek",
    window: 1_000_000,
    prices: [{ since: "2026-08-17", price: [0.66, 0.022, 0.66, 1.98], isDearerByDay: true }],
  },
  // mistral.ai, Pricing. Large 3 came on that day.
  {
    names: /^mistral-large-latest$/,
    provider: "mistral",
    window: 262_144,
    prices: [{ since: "2025-12-02", price: [0.5, 0.05, 0.5, 1.5] }],
  },
  {
    names: /^devstral-(?:medium-(?:2507|latest)|latest)$/,
    provider: "mistral",
    window: 262_144,
    prices: [{ price: [0.4, 0.04, 0.4, 2] }],
  },
  alibaba(/^qwen3-coder-plus$/, [
    [0, 1, 5],
    [32_000, 1.8, 9],
    [128_000, 3, 15],
    [256_000, 6, 60],
  ]),
  alibaba(/^qwen3-coder-flash$/, [
    [0, 0.3, 1.5],
    [32_000, 0.5, 2.5],
    [128_000, 0.8, 4],
    [256_000, 1.6, 9.6],
  ]),
  alibaba(
    /^qwen3-max$/,
    [
      [0, 1.2, 6],
      [32_000, 2.4, 12],
      [128_000, 3, 15],
    ],
    262_144,
  ),
  alibaba(/^qwen3\.5-plus$/, [
    [0, 0.4, 2.4, 0.1],
    [256_000, 0.5, 3, 0.1],
  ]),
  alibaba(/^qwen3\.6-plus$/, [
    [0, 0.5, 3, 0.1],
    [256_000, 2, 6, 0.1],
  ]),
];

/** All rows as one text: another text, and some price may be another. */
export const listedText = (): string =>
  JSON.stringify(LISTED, (_, value: unknown) => (value instanceof RegExp ? String(value) : value));

type Rate =
  | number
  | { readonly base: number; readonly tiers: readonly { readonly start: number; readonly price: number }[] };
/** As the table has them: dollars a million tokens, a thousand searches, a thousand requests. */
export type ModelRates = { readonly [name: string]: Rate | undefined };
export type ListedModel = {
  readonly window: number;
  /** Whether its price is another one by day. */
  readonly isHourly: boolean;
  /** The prices in force then; null where the table's hold. */
  at(time: number): ModelRates | null;
};

const PEAKS = [
  [1, 4],
  [6, 10],
] as const;

/** What a provider's page says of the model, where that is not what the table has; null for all others. */
export function listedModel(name: string, provider: string | null): ListedModel | null {
  const found = LISTED.find((one) => (provider === null || one.provider === provider) && one.names.test(name));
  if (found === undefined) return null;
  const { window, prices } = found;
  return {
    window,
    isHourly: prices.some(({ since, isDearerByDay }) => since?.includes("T") === true || isDearerByDay === true),
    at(time) {
      const inForce = prices.findLast(({ since }) => since === undefined || Date.parse(since) <= time);
      if (inForce === undefined) return null;
      return ratesOf(inForce, inForce.isDearerByDay === true && isPeak(time) ? 2 : 1);
    },
  };
}

const KINDS = ["input_mtok", "cache_read_mtok", "cache_write_mtok", "output_mtok", "cache_write_1h_mtok"] as const;

function ratesOf({ price, above = [] }: Listed["prices"][number], times: number): ModelRates {
  const rateOf = (_: string, i: number): Rate | undefined => {
    const base = price[i];
    if (base === undefined) return undefined;
    const tiers = above.map(([start, dearer]) => ({ start, price: dearer[i]! * times }));
    return tiers.length === 0 ? base * times : { base: base * times, tiers };
  };
  return Object.fromEntries(KINDS.map((kind, i) => [kind, rateOf(kind, i)]));
}

function isPeak(time: number): boolean {
  const at = new Date(time);
  const day = at.getUTCDay();
  return day > 0 && day < 6 && PEAKS.some(([from, to]) => at.getUTCHours() >= from && at.getUTCHours() < to);
}
