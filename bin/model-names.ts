// Names of models that say who serves them: `openai/gpt-4o-mini`, `us.anthropic.claude-…-v1:0`, `publishers/google/models/…`. The price
// table has one list a provider, and knows a provider by the bare name of its models alone.

/** A provider of the table by how names begin. One that is not here may be a person's own machine: it has no list price. */
const PROVIDERS: Readonly<Record<string, string>> = {
  ...{
    openai: "openai",
    anthropic: "anthropic",
    google: "google",
    gemini: "google",
    vertex_ai: "google",
    vertex: "google",
  },
  ...{ azure: "azure", bedrock: "aws", aws: "aws", openrouter: "openrouter", groq: "groq", together: "together" },
  ...{ together_ai: "together", fireworks: "fireworks", fireworks_ai: "fireworks", cerebras: "cerebras" },
  ...{ deepseek: "deepseek", mistral: "mistral", mistralai: "mistral", cohere: "cohere", moonshot: "moonshotai" },
  ...{
    moonshotai: "moonshotai",
    perplexity: "perplexity",
    xai: "x-ai",
    "x-ai": "x-ai",
    minimax: "minimax",
    zai: "zai",
  },
  ...{ "z-ai": "zai", "github-copilot": "github-copilot" },
  ...{ zhipuai: "zhipuai", zhipu: "zhipuai", bigmodel: "zhipuai", dashscope: "alibaba", alibaba: "alibaba" },
};

/** As Bedrock writes them, with the region or without: `eu.anthropic.claude-haiku-4-5-20251001-v1:0`. */
const BEDROCK = /^(?:[a-z]{2,6}\.)?(?:amazon|anthropic|cohere|deepseek|meta|mistral|openai|qwen)\.[a-z]/;
/** As Google's own interface has them: `models/gemini-2.5-flash`. */
const OF_GOOGLE = /^models\/(gemini-.+)$/;
/** As Droid names models of a person's own keys, by their names in its settings: `custom:Claude-Sonnet-4-[Anthropic]-0`. */
const OF_SETTINGS = /^(?:custom:)?([\w.-]{1,100}?)-\[([\w.-]{1,40})\](?:-\d{1,4})?$/;
const PUBLISHED = /(?:^|\/)publishers\/([^/]+)\/models\/([^/]+)$/;

export type ServedModel = { readonly provider: string; readonly name: string };

/** Who serves the model, and its name there; null where the name does not say. */
export function servedModel(name: string): ServedModel | null {
  const published = PUBLISHED.exec(name);
  const google = OF_GOOGLE.exec(name);
  if (google !== null) return { provider: "google", name: google[1]! };
  const [, called, server] = OF_SETTINGS.exec(name) ?? [];
  if (called !== undefined && server !== undefined) return servedModel(`${server}/${called.toLowerCase()}`);
  const [first, rest] = published === null ? headOf(name) : [published[1]!, published[2]!];
  const provider = Object.hasOwn(PROVIDERS, first) ? PROVIDERS[first]! : null;
  if (provider !== null && rest !== "") return { provider, name: rest };
  return BEDROCK.test(name) ? { provider: "aws", name } : null;
}

function headOf(name: string): [string, string] {
  const at = name.indexOf("/");
  return at < 0 ? ["", ""] : [name.slice(0, at).toLowerCase(), name.slice(at + 1)];
}

/** What agents add to a name, or leave out of it. Prices are those of the model: how long it thinks, and its window, cost no more a token. */
const SPELLINGS: readonly (readonly [RegExp, string])[] = [
  // LiteLLM's proxy, also that of OpenHands, passes calls on to those who serve the model, at their price.
  [/^(?:litellm_proxy|openhands)\/(?=.)/i, ""],
  // Claude Code's models with a window of a million.
  [/\[1m\]$/i, ""],
  [/((?:^|\/)(?:claude-|gemini-)[\w.-]*?)-thinking$/, "$1"],
  // Effort, as Cursor, Copilot and Antigravity name it.
  [/((?:^|\/)(?:gpt-\d|o\d|claude-|gemini-|grok-)[\w.-]*?)-(?:minimal|extra-low|low|medium|high|xhigh)$/, "$1"],
  // As Cursor has them: `claude-4.5-sonnet`.
  [/((?:^|\/)claude-)(\d(?:\.\d)?)-(opus|sonnet|haiku)$/, "$1$3-$2"],
  // Grok Build's models: what a turn cost is what these tokens cost of the model itself.
  [/((?:^|\/)grok-[\d.]+)-build$/, "$1"],
  // As OpenRouter has them; xAI's own names have no dot.
  [/((?:^|\/)grok-4)\.(1-fast)/, "$1-$2"],
  // Google's page has both at one price.
  [/((?:^|\/)gemini-[\d.]+-(?:pro|flash))$/, "$1-preview"],
  // By Anthropic's page at the price of its sibling.
  [/((?:^|\/)claude-)mythos-/, "$1fable-"],
  // Alibaba's, which it alone serves. The table has them as OpenRouter passes them on.
  [/^(?:(?:alibaba|dashscope)\/)?(qwen[\d.]*-(?:coder-)?(?:plus|max|flash|turbo))$/, "openrouter/qwen/$1"],
];

/** A name is looked at no longer than this. */
const NAME_CHARS = 200;

/** Other spellings of a name, one rule applied after the other: the nearest first. */
export function otherSpellings(name: string): string[] {
  const found: string[] = [];
  if (name.length > NAME_CHARS) return found;
  let last = name;
  for (const [rule, put] of SPELLINGS) {
    const other = last.replace(rule, put);
    if (other !== last) found.push(other);
    last = other;
  }
  return found;
}
