// A running Plimsoll as an agent uses it: a session of its own, outputs in, the text for the model out, and readings back.
// The server decides what is offloaded, by the session's policy, and keeps a row that says why.
import { agentRequest, type AgentRequest } from "#lib/wire/agent-request-schema.ts";
import { ingestAnswer, type IngestAnswer } from "#lib/wire/memory-schema.ts";
import { textOfValue } from "#lib/kernel/artifacts/pointer.ts";
import { closeTurnAnswer, heldSession, outputAnswer, storedArtifact } from "#lib/wire/held-schema.ts";
import type { CreateSessionRequest, HeldSession, OutputAnswer, StoredArtifact } from "#lib/wire/held-schema.ts";
import { toolAnswer, toolsAnswer } from "#lib/wire/tools-schema.ts";
import type { ToolAnswer, ToolDescription } from "#lib/wire/tools-schema.ts";
import type { Body, RemoteOptions } from "./remote-http.ts";
import { remoteHttp } from "./remote-http.ts";

export type { RemoteOptions } from "./remote-http.ts";

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

export class Plimsoll {
  readonly #http: ReturnType<typeof remoteHttp>;

  constructor(options: RemoteOptions) {
    this.#http = remoteHttp(options);
  }

  /** A session that Plimsoll holds. Asking again with the same id gives the same one. */
  async createSession(request: CreateSessionRequest = {}): Promise<RemoteSession> {
    const held = await this.#http.ask({ method: "POST", path: "/api/sessions", json: request }, heldSession);
    return new RemoteSession(this.#http, held.id, held);
  }

  /** A session that is there already, by its id. */
  session(id: string): RemoteSession {
    return new RemoteSession(this.#http, id, null);
  }

  /** The tools that a model may be given, with their JSON Schemas. */
  async tools(): Promise<readonly ToolDescription[]> {
    return (await this.#http.ask({ method: "GET", path: "/api/tools" }, toolsAnswer)).tools;
  }
}

export class RemoteSession {
  readonly id: string;
  /** As it was when it was made or asked for; null for a session that was named by its id. */
  readonly held: HeldSession | null;
  readonly #http: ReturnType<typeof remoteHttp>;

  constructor(http: ReturnType<typeof remoteHttp>, id: string, held: HeldSession | null) {
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
    return this.#http.ask({ method: "POST", path: this.#path("artifacts"), query, body }, storedArtifact);
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
    return this.#http.ask({ method: "POST", path: this.#path("outputs"), query, body }, outputAnswer);
  }

  /**
   * Tells what happened, in records of docs/formats/plimsoll.md: events, and model calls with the provider's counts. `epoch` is
   * that of the request which they answered.
   */
  addEvents(records: readonly object[], options: { readonly epoch?: number } = {}): Promise<IngestAnswer> {
    const json = { records, ...options };
    return this.#http.ask({ method: "POST", path: this.#path("events"), json }, ingestAnswer);
  }

  /** What the model is sent next, in a provider's shape; compacted first when the last prompt was over the budget. */
  nextRequest(options: { readonly as?: AgentRequest["as"] } = {}): Promise<AgentRequest> {
    return this.#http.ask({ method: "POST", path: this.#path("request"), json: options }, agentRequest);
  }

  /** After this nothing of the turn is written: outputs that come late are dropped. */
  closeTurn(turn: number): Promise<{ turn: number; closed: boolean }> {
    const path = this.#path(`turns/${turn}/close`);
    return this.#http.ask({ method: "POST", path, json: {} }, closeTurnAnswer);
  }

  /** Calls a tool as this session's model would. A question that cannot be answered is an answer with `isError`. */
  tool(name: string, input: object): Promise<ToolAnswer> {
    const path = `/api/tools/${encodeURIComponent(name)}`;
    return this.#http.ask({ method: "POST", path, query: { session: this.id }, json: input }, toolAnswer);
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

  #path(rest: string): string {
    return `/api/sessions/${encodeURIComponent(this.id)}/${rest}`;
  }
}

const isBody = (value: unknown): value is Body =>
  typeof value === "string" ||
  value instanceof Uint8Array ||
  (typeof value === "object" && value !== null && Symbol.asyncIterator in value);
