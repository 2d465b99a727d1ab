// Writes down a scripted agent's session in our own format, and weighs it on the way: each prompt is the sum of what a
// tokenizer counts in the events before it, which is what the load chart finds again.
import { createHash } from "node:crypto";
import type { HeaderRecord, PlimsollRecord } from "#lib/archive/sessions/export-session.ts";
import { NO_USAGE } from "#lib/kernel/draft.ts";
import { eventText, type EventBody } from "#lib/kernel/event.ts";
import { categoryOf, extraTokens } from "#lib/kernel/load/weigh.ts";
import type { Ran, ToolUse } from "./tools.ts";

export const MODEL = "claude-sonnet-4-5";
/** The input budget of the sessions: the window that this model is sold with. */
export const WINDOW = 200_000;

/** Tokens a second that the clock takes for an answer, and the wait before it. */
const TOKENS_A_SECOND = 60;
const WAIT_MS = 1400;

export type Picture = { readonly bytes: Uint8Array; readonly width: number; readonly height: number };
export type Answer = { readonly think?: string; readonly say?: string; readonly use?: readonly ToolUse[] };

type EventRecord = Extract<PlimsollRecord, { record: "event" }>;
type Options = {
  readonly header: Omit<HeaderRecord, "plimsoll">;
  readonly at: number;
  readonly count: (text: string) => number;
};

/** A session file; `endedAt`: when the session says that it ended. */
export type DemoFile = { readonly name: string; readonly text: string; readonly endedAt: number };

export const fileOf = (name: string, recorder: Recorder): DemoFile => ({
  name,
  text: recorder.toText(),
  endedAt: recorder.now,
});

export class Recorder {
  readonly #header: Omit<HeaderRecord, "plimsoll">;
  readonly #count: (text: string) => number;
  readonly #records: PlimsollRecord[] = [];
  readonly #startedAt: number;
  #now: number;
  #calls = 0;
  #toolCalls = 0;
  /** Tokens of the context, and how many of them the provider has in its cache. */
  #context = 0;
  #cached = 0;
  #prefix = { tokens: 0, uuids: [] as string[] };

  constructor({ header, at, count }: Options) {
    this.#header = header;
    this.#count = count;
    this.#startedAt = this.#now = at;
  }

  get now(): number {
    return this.#now;
  }

  get tokens(): number {
    return this.#context;
  }

  /** The instructions that stand before every prompt, also after a compaction. */
  system(text: string): void {
    const { uuid, tokens } = this.#event({ type: "system", subtype: "prompt", text });
    this.#prefix.tokens += tokens;
    this.#prefix.uuids.push(uuid);
  }

  /** A person's words; a turn starts here. `afterMs`: how long the person took. */
  user(text: string, afterMs: number, picture?: Picture): void {
    this.#now += afterMs;
    if (picture === undefined) return void this.#event({ type: "user", text }, { startsTurn: true });
    const { width, height } = picture;
    const image = { mediaType: "image/png", attachment: 0, artifact: null, width, height };
    this.#event(
      { type: "user", text, images: [image] },
      {
        startsTurn: true,
        attachments: [{ mediaType: "image/png", base64: Buffer.from(picture.bytes).toString("base64") }],
      },
    );
  }

  /** One model call with its tools. Null when the provider refuses the prompt, which is then the end. */
  answer({ think, say, use = [] }: Answer): Ran[] | null {
    const key = `${this.#header.id}:${++this.#calls}`;
    const request = use.map((tool) => ({ tool, toolCallId: `call_${++this.#toolCalls}` }));
    const bodies: EventBody[] = [
      ...(think === undefined ? [] : [{ type: "reasoning" as const, text: think }]),
      ...(say === undefined ? [] : [{ type: "assistant" as const, text: say }]),
      ...request.map(({ tool: { name, input }, toolCallId }) => ({
        type: "tool_call" as const,
        toolCallId,
        toolName: name,
        input,
      })),
    ];
    const isRefused = this.#context > WINDOW;
    const output = isRefused ? 0 : bodies.reduce((sum, body) => sum + this.#weigh(body), 0);
    const reasoning = isRefused || think === undefined ? 0 : this.#weigh(bodies[0]!);
    this.#now += WAIT_MS + Math.round((output / TOKENS_A_SECOND) * 1000);
    const usage = {
      ...NO_USAGE,
      cacheRead: this.#cached,
      cacheWrite: this.#context - this.#cached,
      output,
      reasoning,
      origin: "counted" as const,
    };
    this.#records.push({ record: "call", key, ts: this.#time(), model: MODEL, usage, window: WINDOW });
    if (isRefused) {
      const text = `prompt is too long: ${this.#context} tokens > ${WINDOW} maximum`;
      this.#event({ type: "error", text, code: "400" }, { call: key });
      return null;
    }
    this.#cached = this.#context;
    for (const body of bodies) this.#event(body, { call: key });
    return request.map(({ tool, toolCallId }) => {
      const ran = tool.run();
      // A disk and a pipe: 20 ms, and 1 ms for each 20 KB.
      this.#now += 20 + Math.ceil(ran.text.length / 20_000);
      const { text, isError = false, detail } = ran;
      this.#event({ type: "tool_result", toolCallId, text, isError, saw: "full", ...(detail && { detail }) });
      return ran;
    });
  }

  /** A compaction by hand: the summary takes the place of all but the instructions. */
  compact(summary: string, afterMs: number): void {
    this.#now += afterMs;
    const tokensBefore = this.#context;
    const body: EventBody = { type: "user", text: summary, injected: "summary" };
    const tokensAfter = this.#prefix.tokens + this.#weigh(body);
    const preserved = this.#prefix.uuids;
    this.#event({
      type: "compaction",
      kind: "full",
      trigger: "manual",
      tokensBefore,
      tokensAfter,
      text: "",
      preserved,
    });
    this.#context = this.#cached = this.#prefix.tokens;
    this.#event(body);
  }

  /** What another agent did meanwhile. */
  waitUntil(time: number): void {
    this.#now = Math.max(this.#now, time);
  }

  toText(): string {
    const times = { startedAt: new Date(this.#startedAt).toISOString(), endedAt: this.#time() };
    const lines = [{ plimsoll: 1, ...this.#header, model: MODEL, ...times }, ...this.#records];
    return lines.map((line) => `${JSON.stringify(line)}\n`).join("");
  }

  #time(): string {
    return new Date(this.#now).toISOString();
  }

  #weigh(body: EventBody): number {
    return categoryOf(body) === null ? 0 : this.#count(eventText(body)) + extraTokens(body);
  }

  #event(body: EventBody, more: Partial<EventRecord> = {}): { uuid: string; tokens: number } {
    const hex = createHash("sha256").update(`${this.#header.id} ${this.#records.length}`).digest("hex");
    const uuid = `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
    this.#records.push({ record: "event", uuid, ts: this.#time(), ...more, body });
    const tokens = this.#weigh(body);
    this.#context += tokens;
    return { uuid, tokens };
  }
}
