// A session of a running Plimsoll: outputs and events in, the text for the model out, and everything that Plimsoll knows of it.
import type { z } from "zod";
import { agentRequest, type AgentRequest } from "#lib/wire/agent-request-schema.ts";
import { eventsAnswer, type EventsAnswer, type eventsQuery } from "#lib/wire/events-schema.ts";
import { closeTurnAnswer, outputAnswer, storedArtifact } from "#lib/wire/held-schema.ts";
import type { HeldSession, OutputAnswer, StoredArtifact } from "#lib/wire/held-schema.ts";
import { culpritsAnswer, type CulpritRow } from "#lib/wire/ledger-schema.ts";
import { loadAnswer, type LoadAnswer } from "#lib/wire/load-schema.ts";
import * as wire from "#lib/wire/memory-schema.ts";
import { recallAnswer, type RecallAnswer, type recallQuery } from "#lib/wire/recall-schema.ts";
import { sessionSummary, type SessionSummary } from "#lib/wire/sessions-schema.ts";
import { toolAnswer, type ToolAnswer } from "#lib/wire/tools-schema.ts";
import { textOfValue } from "#lib/kernel/artifacts/pointer.ts";
import { READ_TOOLS } from "#lib/kernel/artifacts/tool-names.ts";
import type { Body, Query, RemoteHttp } from "./remote-http.ts";

/** Tools that change nothing. What they answer may be more than is kept with a key. */
const READS: ReadonlySet<string> = new Set([...READ_TOOLS, "artifact_list", "listArtifacts"]);

export type StoreOptions = {
  readonly name?: string | undefined;
  readonly toolName?: string | undefined;
  readonly toolCallId?: string | undefined;
  readonly turn?: number | undefined;
  /** Found out from the bytes when absent. */
  readonly contentType?: string | undefined;
  readonly description?: string | undefined;
  /** As long as the session when absent. */
  readonly ttlSeconds?: number | null | undefined;
  /** The sha-256 that the bytes must have: others are refused. */
  readonly digest?: string | undefined;
};

export type OutputOptions = {
  readonly toolName: string;
  readonly toolCallId?: string;
  readonly turn?: number;
  readonly contentType?: string;
  readonly isError?: boolean;
  /** Tokens of the context before this output, where the agent knows them. */
  readonly usedInputTokens?: number;
  /** The reading tools that the model has; all of them when absent. */
  readonly availableTools?: readonly string[];
  /** What the call asked: shown beside its output. Longer ones than an address has room for are left out. */
  readonly input?: unknown;
};

/** Characters of a call's input that go along. */
const INPUT_CHARS = 4000;

function inputOf(input: unknown): { input?: string } {
  if (input === undefined) return {};
  const text = JSON.stringify(input) as string | undefined;
  return text === undefined || text.length > INPUT_CHARS ? {} : { input: text };
}

export type ReadRange = {
  readonly encoding?: "raw" | "base64";
  readonly start_line?: number;
  readonly end_line?: number;
  readonly start_char?: number;
  readonly max_chars?: number;
};

export class RemoteSession {
  readonly id: string;
  /** As it was when it was made or asked for; null for a session that was named by its id. */
  readonly held: HeldSession | null;
  readonly #http: RemoteHttp;

  constructor(http: RemoteHttp, id: string, held: HeldSession | null) {
    this.#http = http;
    this.id = id;
    this.held = held;
  }

  /** Stores bytes of any size. Acknowledged means that they are on the disk. */
  storeArtifact(body: Body, options: StoreOptions = {}): Promise<StoredArtifact> {
    const { name, toolName, toolCallId, turn, contentType, description, ttlSeconds, digest } = options;
    const query = {
      name,
      tool: toolName,
      call: toolCallId,
      turn,
      type: contentType,
      description,
      ttl: ttlSeconds,
      digest,
    };
    return this.#http.ask({ method: "POST", path: this.#path("artifacts"), query, body, once: true }, storedArtifact);
  }

  /** Records what a tool returned. `text` of the answer is what the model is to see: the output, or what stands for it. */
  recordOutput(output: unknown, options: OutputOptions): Promise<OutputAnswer> {
    const { toolName, toolCallId, turn, contentType, isError, usedInputTokens, availableTools, input } = options;
    const query = {
      tool: toolName,
      call: toolCallId,
      turn,
      type: contentType,
      is_error: isError,
      used_tokens: usedInputTokens,
      tools: availableTools?.join(","),
      ...inputOf(input),
    };
    const body = isBody(output) ? output : textOfValue(output);
    return this.#http.ask({ method: "POST", path: this.#path("outputs"), query, body, once: true }, outputAnswer);
  }

  /**
   * Tells what happened, in records of docs/formats/plimsoll.md: events, and model calls with the provider's counts. `epoch` is
   * that of the request which they answered.
   */
  addEvents(records: readonly object[], options: { readonly epoch?: number } = {}): Promise<wire.IngestAnswer> {
    const json = { records, ...options };
    return this.#http.ask({ method: "POST", path: this.#path("events"), json, once: true }, wire.ingestAnswer);
  }

  /** What the model is sent next, in a provider's shape; compacted first when the last prompt was over the budget. */
  nextRequest(options: { readonly as?: AgentRequest["as"] } = {}): Promise<AgentRequest> {
    // A compaction that its lost answer told of is done: it is not made again.
    return this.#http.ask({ method: "POST", path: this.#path("request"), json: options, again: true }, agentRequest);
  }

  /** After this nothing of the turn is written: outputs that come late are dropped. */
  closeTurn(turn: number): Promise<{ turn: number; closed: boolean }> {
    const path = this.#path(`turns/${turn}/close`);
    return this.#http.ask({ method: "POST", path, json: {}, once: true }, closeTurnAnswer);
  }

  /** Calls a tool as this session's model would. A question that cannot be answered is an answer with `isError`. */
  tool(name: string, input: object): Promise<ToolAnswer> {
    const ask = {
      method: "POST",
      path: `/api/tools/${encodeURIComponent(name)}`,
      query: { session: this.id },
    } as const;
    const lost = READS.has(name) ? { again: true as const } : { once: true as const };
    return this.#http.ask({ ...ask, json: input, ...lost }, toolAnswer);
  }

  readArtifact(artifact_id: string, range: ReadRange = {}): Promise<ToolAnswer> {
    return this.tool("artifact_read", { artifact_id, ...range });
  }

  grepArtifact(artifact_id: string, pattern: string, grep_options: readonly string[] = []): Promise<ToolAnswer> {
    return this.tool("artifact_grep", { artifact_id, pattern, grep_options });
  }

  jqArtifact(
    artifact_id: string,
    expression: string,
    options: { readonly raw_output?: boolean; readonly slurp?: boolean } = {},
  ): Promise<ToolAnswer> {
    return this.tool("artifact_jq", { artifact_id, expression, ...options });
  }

  listArtifacts(filter: { readonly limit?: number; readonly cursor?: string } = {}): Promise<ToolAnswer> {
    return this.tool("artifact_list", filter);
  }

  /** Every byte of an artifact, as they come. */
  download(pointer: string): Promise<ReadableStream<Uint8Array>> {
    return this.#http.stream({ method: "GET", path: `/api/artifacts/${encodeURIComponent(pointer)}/raw` });
  }

  /** What the list of sessions says of it. */
  summary(): Promise<SessionSummary> {
    return this.#http.ask({ method: "GET", path: `/api/sessions/${encodeURIComponent(this.id)}` }, sessionSummary);
  }

  /** Events in order, `next` is where the next page begins. Long texts are cut: `bytes` says how long they are. */
  events(query: z.input<typeof eventsQuery> = {}): Promise<EventsAnswer> {
    return this.#get("events", eventsAnswer, query);
  }

  /** The context that a call at an event is sent, message by message with its tokens; at the end when `at` is absent. */
  context(query: z.input<typeof wire.contextQuery> = {}): Promise<wire.ContextAnswer> {
    return this.#get("context", wire.contextAnswer, query);
  }

  /** What each model call weighed, against the load line. */
  load(): Promise<LoadAnswer> {
    return this.#get("load", loadAnswer);
  }

  /** What fills the context, most expensive first. */
  async culprits(): Promise<readonly CulpritRow[]> {
    return (await this.#get("culprits", culpritsAnswer)).culprits;
  }

  /** A plan of a compaction; with `dryRun: false` it is applied. */
  compact(request: z.input<typeof wire.compactRequest> = {}): Promise<wire.CompactAnswer> {
    const ask = { method: "POST", path: this.#path("compactions"), json: request, once: true } as const;
    return this.#http.ask(ask, wire.compactAnswer);
  }

  async compactions(): Promise<readonly wire.CompactionRow[]> {
    return (await this.#get("compactions", wire.compactionsAnswer)).compactions;
  }

  /** Epochs, compactions, episodic and semantic items, and what was recalled. */
  memory(): Promise<wire.MemoryAnswer> {
    return this.#get("memory", wire.memoryAnswer);
  }

  /** Adds, edits, pins, deletes or restores an item; the item as it is then. */
  changeMemory(change: z.input<typeof wire.memoryChange>): Promise<wire.MemoryItemRow> {
    const ask = { method: "POST", path: this.#path("memory"), json: change, once: true } as const;
    return this.#http.ask(ask, wire.memoryItem);
  }

  /** An item with what it was before each change. */
  memoryHistory(item: string): Promise<wire.MemoryHistory> {
    return this.#get(`memory/${encodeURIComponent(item)}`, wire.memoryHistory);
  }

  /** Stored outputs that a question is about, best first, and the text that tells a model of them. */
  recall(query: string, options: Omit<z.input<typeof recallQuery>, "query"> = {}): Promise<RecallAnswer> {
    return this.#get("recall", recallAnswer, { query, ...options } as Query);
  }

  /** The whole session as lines of docs/formats/plimsoll.md, as they come. */
  export(): Promise<ReadableStream<Uint8Array>> {
    return this.#http.stream({ method: "GET", path: this.#path("export") });
  }

  #get<T>(rest: string, answer: z.ZodType<T>, query: object = {}): Promise<T> {
    return this.#http.ask({ method: "GET", path: this.#path(rest), query: query as Query }, answer);
  }

  #path(rest: string): string {
    return `/api/sessions/${encodeURIComponent(this.id)}/${rest}`;
  }
}

const isBody = (value: unknown): value is Body =>
  typeof value === "string" ||
  value instanceof Uint8Array ||
  (typeof value === "object" && value !== null && Symbol.asyncIterator in value);
