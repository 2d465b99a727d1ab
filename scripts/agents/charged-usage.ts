// What the scripted model charges is derived from the request: each tool, block and item weighs its characters. What equals the
// beginning of an earlier request is read from the cache, the rest up to the last cache mark is written to it. So usage, spend
// and ledger of a run can be worked out from the wire alone.
import { canonicalJson } from "./canonical-json.ts";
import type { Api, Body, ChargedUsage } from "./script-types.ts";

/** Anthropic charges an image by its size: a token for so many dots. */
const DOTS_PER_TOKEN = 750;

type Part = { readonly text: string; readonly tokens: number; readonly mark: "5m" | "1h" | null };

export type InputCharge = Omit<ChargedUsage, "output" | "reasoning">;

/** Charges requests in the order in which they come. */
export function createCharger(charsPerToken = 4): (api: Api, body: Body) => InputCharge {
  const earlier: (readonly Part[])[] = [];
  return (api, body) => {
    const parts = api === "messages" ? messagesParts(body, charsPerToken) : otherParts(body, charsPerToken);
    const shared = Math.max(0, ...earlier.map((one) => sharedStart(one, parts)));
    earlier.push(parts);
    return api === "messages" ? chargeByMarks(parts, shared) : chargeByPrefix(parts, shared);
  };
}

/** Tokens of a text that the model answers with. */
export const textTokens = (text: string, charsPerToken = 4): number => Math.ceil(text.length / charsPerToken);

function sharedStart(a: readonly Part[], b: readonly Part[]): number {
  let n = 0;
  while (n < a.length && n < b.length && a[n]!.text === b[n]!.text) n++;
  return n;
}

/** Anthropic: a part is cached when a mark stands at it or after it, for as long as that mark says. */
function chargeByMarks(parts: readonly Part[], shared: number): InputCharge {
  const charge = { uncached: 0, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0 };
  let mark: Part["mark"] = null;
  for (const [i, part] of [...parts.entries()].toReversed()) {
    mark = part.mark ?? mark;
    if (mark === null) charge.uncached += part.tokens;
    else if (i < shared) charge.cacheRead += part.tokens;
    else if (mark === "1h") charge.cacheWrite1h += part.tokens;
    else charge.cacheWrite5m += part.tokens;
  }
  return charge;
}

/** OpenAI: the shared beginning is read; nothing is charged for writing. */
function chargeByPrefix(parts: readonly Part[], shared: number): InputCharge {
  const sum = (some: readonly Part[]): number => some.reduce((total, { tokens }) => total + tokens, 0);
  return {
    uncached: sum(parts.slice(shared)),
    cacheRead: sum(parts.slice(0, shared)),
    cacheWrite5m: 0,
    cacheWrite1h: 0,
  };
}

/** In the order of the provider's cache: tools, system, messages. */
function messagesParts(body: Body, charsPerToken: number): Part[] {
  const tools = listOf(body["tools"]).map((tool) => partOf(tool, "", charsPerToken));
  const system = blocksOf(body["system"]).map((block) => partOf(block, "system", charsPerToken));
  const messages = listOf(body["messages"]).flatMap((message) => {
    const { role, content } = message as { role: string; content: unknown };
    return blocksOf(content).map((block) => partOf(block, role, charsPerToken));
  });
  return [...tools, ...system, ...messages];
}

/** What was said so far, by the name that each API has for it. */
export const promptParts = (body: Body): readonly unknown[] =>
  listOf(body["messages"] ?? body["input"] ?? body["contents"]);

/** Ids are left out: Codex gives its items new ones when it starts again. */
function otherParts(body: Body, charsPerToken: number): Part[] {
  const instructions = [body["instructions"], body["systemInstruction"]].filter((one) => one !== undefined);
  const items = promptParts(body).map((item) => {
    const { id: _, ...rest } = item as Record<string, unknown>;
    return rest;
  });
  return [...instructions, ...listOf(body["tools"]), ...items].map((part) => partOf(part, "", charsPerToken));
}

function partOf(block: unknown, role: string, charsPerToken: number): Part {
  let imageTokens = 0;
  let ttl: Part["mark"] = null;
  const bare = JSON.stringify(block, (key, value: unknown) => {
    if (key === "cache_control") {
      ttl = (value as { ttl?: string } | null)?.ttl === "1h" ? "1h" : "5m";
      return undefined;
    }
    if (isImageData(key, value)) {
      imageTokens += Math.ceil(dotsOf(value as string) / DOTS_PER_TOKEN);
      return "";
    }
    return value;
  });
  return {
    text: `${role} ${canonicalJson(withoutMarks(block))}`,
    tokens: Math.ceil(bare.length / charsPerToken) + imageTokens,
    mark: ttl,
  };
}

const isImageData = (key: string, value: unknown): boolean =>
  typeof value === "string" && (key === "data" || key === "image_url") && value.length > 100;

/** Of a PNG in base64, alone or as a data address: its header has width and height. */
function dotsOf(text: string): number {
  const header = Buffer.from(text.slice(text.indexOf(",") + 1, text.indexOf(",") + 65), "base64");
  return header.length < 24 ? 0 : header.readUInt32BE(16) * header.readUInt32BE(20);
}

/** The same without cache marks, which move from request to request. */
export function withoutMarks(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutMarks);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => key !== "cache_control")
      .map(([key, inner]) => [key, withoutMarks(inner)]),
  );
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

function blocksOf(content: unknown): readonly unknown[] {
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }];
  return listOf(content);
}
