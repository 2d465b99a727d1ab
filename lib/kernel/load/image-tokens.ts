// What an image weighs with each family of providers, by the rules that they publish. All of it is estimated: a provider
// counts anew with each model, and says so only in the usage of a call.

export type ImageEstimate = {
  readonly family: "Anthropic" | "OpenAI" | "Google";
  readonly tokens: number;
  /** The rule with its numbers, in words. */
  readonly rule: string;
};

/** Claude's longest edge and largest area: what is larger is made smaller first. */
const CLAUDE_EDGE = 1568;
const CLAUDE_TOKENS = 1600;
const PIXELS_PER_TOKEN = 750;

export function imageEstimates(width: number, height: number): ImageEstimate[] {
  return [anthropic(width, height), openai(width, height), google(width, height)];
}

/** The ledger's weight of an image as well: one rule for one thing. */
export function claudeImageTokens(width: number, height: number): number {
  const { w, h } = claudeSize(width, height);
  return Math.min(CLAUDE_TOKENS, Math.ceil((w * h) / PIXELS_PER_TOKEN));
}

function claudeSize(width: number, height: number): { scale: number; w: number; h: number } {
  const scale = Math.min(1, CLAUDE_EDGE / Math.max(width, height));
  return { scale, w: Math.max(1, Math.round(width * scale)), h: Math.max(1, Math.round(height * scale)) };
}

function anthropic(width: number, height: number): ImageEstimate {
  const { scale, w, h } = claudeSize(width, height);
  const tokens = claudeImageTokens(width, height);
  const size = scale < 1 ? `made smaller to ${w} × ${h}, then ` : "";
  return { family: "Anthropic", tokens, rule: `${size}width × height ÷ 750, at most 1,600` };
}

/** High detail, as GPT-4o and GPT-4.1 count; smaller models take patches and a factor. */
function openai(width: number, height: number): ImageEstimate {
  const fit = Math.min(1, 2048 / Math.max(width, height));
  const short = Math.min(1, 768 / (Math.min(width, height) * fit));
  const tiles =
    Math.ceil(Math.max(1, Math.round(width * fit * short)) / 512) *
    Math.ceil(Math.max(1, Math.round(height * fit * short)) / 512);
  return {
    family: "OpenAI",
    tokens: 85 + 170 * tiles,
    rule: `85 and 170 for each of ${tiles === 1 ? "1 tile" : `${tiles} tiles`} of 512 px, short edge at most 768 px (GPT-4o, GPT-4.1; low detail: 85)`,
  };
}

function google(width: number, height: number): ImageEstimate {
  if (width <= 384 && height <= 384)
    return { family: "Google", tokens: 258, rule: "258, as neither edge is over 384 px" };
  const tiles = Math.ceil(width / 768) * Math.ceil(height / 768);
  return {
    family: "Google",
    tokens: 258 * tiles,
    rule: `258 for each of ${tiles === 1 ? "1 tile" : `${tiles} tiles`} of 768 px (Gemini 2)`,
  };
}
