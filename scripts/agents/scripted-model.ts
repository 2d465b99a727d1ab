// A model that says what a script tells it, on the loopback alone: Anthropic's Messages, OpenAI's Responses, chat completions and
// Gemini's generateContent, streamed or whole. It keeps every request as it came, and charges what charged-usage.ts derives from it.
import { hash } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { gunzipSync, zstdDecompressSync } from "node:zlib";
import { createCharger, promptParts, textTokens, type InputCharge } from "./charged-usage.ts";
import { chatAnswer, sendChat } from "./chat-answer.ts";
import { geminiAnswer, sendGemini } from "./gemini-answer.ts";
import { messagesAnswer, sendMessages } from "./messages-answer.ts";
import { responsesAnswer, sendResponses } from "./responses-answer.ts";
import type { Api, Body, ChargedUsage, KeptAnswer, KeptRequest, Script, Step } from "./script-types.ts";

export type ScriptedModel = { readonly url: string; close(): Promise<void> };

/**
 * Starts it. `keep` gets each request when it was answered, or when its agent went away before; `onRequest` its number when it
 * came.
 */
export async function startModel(
  script: Script,
  keep: (request: KeptRequest) => void,
  { port = 0, onRequest }: { readonly port?: number; readonly onRequest?: (n: number) => void } = {},
): Promise<ScriptedModel> {
  const charge = createCharger(script.charsPerToken);
  const next = new Map<string, number>();
  // Ids differ from run to run: equal ids are one answer to whoever reads the files.
  const run = process.hrtime.bigint().toString(36);
  let n = 0;

  const server = createServer((request, response) => {
    void answer(request, response).catch((error: unknown) => {
      response.statusCode = 500;
      response.end(String(error));
    });
  });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { body, sha256 } = await jsonBody(request);
    const api = apiOf(request);
    if (api === null) return sendOther(request, response, body);
    n++;
    onRequest?.(n);
    const model = body["model"] ?? /\/models\/([^/:]+):/.exec(request.url ?? "")?.[1];
    const about = { n, atMs: Date.now(), api, body, sha256, ...(model === undefined ? {} : { model: String(model) }) };
    const { lane, step: chosen } = chooseStep(script, body, next);
    const step = withEnvelope(chosen, body);
    const input = charge(api, body);
    const name = `${run}n${n}`;
    if (!(await isThereAfter(response, step.delayMs ?? 0))) return keep({ ...about, lane, answer: null });
    const { url = "" } = request;
    keep({ ...about, lane, answer: sendStep({ api, url, body, response, step, name, input, script }) });
  }

  await new Promise<void>((done) => server.listen(port, "127.0.0.1", done));
  return { url: `http://127.0.0.1:${portOf(server)}`, close: () => closed(server) };
}

/** Waits; false as soon as the agent is gone. */
function isThereAfter(response: ServerResponse, ms: number): Promise<boolean> {
  return new Promise((done) => {
    const timer = setTimeout(() => done(true), ms);
    response.once("close", () => {
      clearTimeout(timer);
      done(false);
    });
  });
}

type Sending = {
  readonly api: Api;
  readonly url: string;
  readonly body: Body;
  readonly response: ServerResponse;
  readonly step: Step;
  readonly name: string;
  readonly input: InputCharge;
  readonly script: Script;
};

function sendStep({ api, url, body, response, step, name, input, script }: Sending): KeptAnswer {
  const usage = usageOf(step, input, script.charsPerToken);
  if (step.status !== undefined) return refuse(response, step.status, name);
  switch (api) {
    case "messages": {
      const made = messagesAnswer(step, name, usage);
      sendMessages(response, body, made);
      return made.answer;
    }
    case "responses": {
      const made = responsesAnswer(step, name, usage);
      sendResponses(response, body, made);
      return made.answer;
    }
    case "chat": {
      const made = chatAnswer(step, name, usage);
      sendChat(response, body, made);
      return made.answer;
    }
    case "gemini": {
      const made = geminiAnswer(step, name, usage);
      sendGemini(response, url.includes("alt=sse"), made);
      return made.answer;
    }
  }
}

function refuse(response: ServerResponse, status: number, id: string): KeptAnswer {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify({ type: "error", error: { type: "overloaded_error", message: "Overloaded" } }));
  const usage = { uncached: 0, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, output: 0, reasoning: 0 };
  return { status, id, itemIds: [], usage, toolCalls: [] };
}

function usageOf(step: Step, input: InputCharge, charsPerToken?: number): ChargedUsage {
  const said = [step.text ?? "", ...(step.tools ?? []).map((tool) => tool.name + JSON.stringify(tool.input))].join("");
  const reasoning = textTokens(step.thinking ?? "", charsPerToken);
  return { ...input, output: reasoning + textTokens(said, charsPerToken), reasoning };
}

/** Which answer a request gets: an aside of the agent's own, or the next of its lane. */
export function chooseStep(script: Script, body: Body, next: Map<string, number>): { lane: string; step: Step } {
  const messages = promptParts(body);
  const last = JSON.stringify(messages.at(-1) ?? "");
  const aside = script.asides?.find(({ words }) => last.includes(words));
  if (aside !== undefined) return { lane: "aside", step: aside.step };
  // A request without tools asks for a title or the like; one that continues a thread of the provider named them before.
  const isContinued = (body["thread"] as { type?: unknown } | undefined)?.type === "continue";
  if (!isContinued && (!Array.isArray(body["tools"]) || body["tools"].length === 0))
    return { lane: "side", step: { text: "A title" } };
  const prompt = JSON.stringify(messages.find((one) => (one as { role?: string }).role === "user") ?? "");
  const lane = Object.entries(script.markers ?? {}).find(([, marker]) => prompt.includes(marker))?.[0] ?? "main";
  const at = next.get(lane) ?? 0;
  next.set(lane, at + 1);
  return { lane, step: script.lanes[lane]?.[at] ?? { text: "The script is over." } };
}

/** What stands for the id that an envelope in the request names, as a model would read it. */
export const ENVELOPE_ID = "{artifact_id}";

function withEnvelope(step: Step, body: Body): Step {
  if (!JSON.stringify(step.tools ?? []).includes(ENVELOPE_ID)) return step;
  const id = /\bart_[0-9a-f]{16}\b/.exec(JSON.stringify(promptParts(body)))?.[0] ?? "art_none";
  return { ...step, tools: JSON.parse(JSON.stringify(step.tools).replaceAll(ENVELOPE_ID, id)) as Step["tools"] & {} };
}

const ENDPOINTS: readonly (readonly [RegExp, Api])[] = [
  [/\/messages$/, "messages"],
  [/\/responses$/, "responses"],
  [/\/chat\/completions$/, "chat"],
  [/:(?:streamGenerate|generate)Content$/, "gemini"],
];

function apiOf({ method, url = "" }: IncomingMessage): Api | null {
  const path = url.split("?")[0]!;
  if (method !== "POST") return null;
  return ENDPOINTS.find(([end]) => end.test(path))?.[1] ?? null;
}

/** What agents ask beside: counts of tokens, whether we are there. What is not known is refused, and nothing is charged. */
function sendOther({ method, url = "" }: IncomingMessage, response: ServerResponse, body: Body): void {
  const isCount = /count_?tokens/i.test(url);
  const isKnown = isCount || method === "HEAD";
  response.writeHead(isKnown ? 200 : 404, { "content-type": "application/json" });
  response.end(JSON.stringify(isCount ? countOf(textTokens(JSON.stringify(body))) : {}));
}

/** By the name of each provider. */
const countOf = (tokens: number): object => ({ input_tokens: tokens, totalTokens: tokens });

async function jsonBody(request: IncomingMessage): Promise<{ readonly body: Body; readonly sha256: string }> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const bytes = unpacked(Buffer.concat(chunks), request.headers["content-encoding"]);
  const sha256 = hash("sha256", bytes, "hex");
  try {
    return { body: JSON.parse(bytes.toString("utf8")) as Body, sha256 };
  } catch {
    return { body: {}, sha256 };
  }
}

function unpacked(bytes: Buffer, encoding: string | undefined): Buffer {
  if (encoding === "gzip") return gunzipSync(bytes);
  return encoding === "zstd" ? zstdDecompressSync(bytes) : bytes;
}

const portOf = (server: Server): number => (server.address() as { port: number }).port;

function closed(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((done) => server.close(() => done()));
}
