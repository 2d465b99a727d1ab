// Lines of session files, written by hand for the cases (synthetic).

export type Line = Readonly<Record<string, unknown>>;

export type Tokens = {
  readonly input?: number;
  readonly read?: number;
  /** Cache writes in all; `write1h` of them for an hour. */
  readonly write?: number;
  readonly write1h?: number;
  readonly output: number;
  readonly searches?: number;
};

const START = Date.UTC(2026, 5, 1, 9);
const at = (second: number): string => new Date(START + second * 1000).toISOString();

/** The id of a session or record: `n` in a uuid. */
export const uuid = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`;

const claude = (session: number, n: number, more: Line): Line => ({
  parentUuid: null,
  isSidechain: false,
  sessionId: uuid(session),
  version: "2.1.219",
  uuid: uuid(n),
  timestamp: at(n % 1000),
  ...more,
});

/** A person's words in a Claude Code session. */
export const said = (session: number, n: number, text: string): Line =>
  claude(session, n, { type: "user", message: { role: "user", content: text } });

/** One line of a model's answer. Lines of one answer share `id`, and a line may show the count at the start of the stream. */
export const answered = (
  session: number,
  n: number,
  call: { readonly id: string; readonly model: string; readonly tokens: Tokens; readonly streaming?: true },
): Line =>
  claude(session, n, {
    type: "assistant",
    requestId: `req_${call.id}`,
    message: {
      id: `msg_${call.id}`,
      type: "message",
      role: "assistant",
      model: call.model,
      content: [{ type: "text", text: "An answer." }],
      stop_reason: call.streaming === true ? null : "end_turn",
      usage: usageOf(call.tokens),
    },
  });

const usageOf = ({ input = 0, read = 0, write = 0, write1h = 0, output, searches = 0 }: Tokens): Line => ({
  input_tokens: input,
  cache_read_input_tokens: read,
  cache_creation_input_tokens: write,
  cache_creation: { ephemeral_5m_input_tokens: write - write1h, ephemeral_1h_input_tokens: write1h },
  output_tokens: output,
  server_tool_use: { web_search_requests: searches, web_fetch_requests: 0 },
});

/** A record of a sub-agent, whose file it is in. */
export const bySubagent = (line: Line, agentId: string): Line => ({ ...line, isSidechain: true, agentId });

/** The same record in a file of another session. */
export const copied = (line: Line, session: number): Line => ({ ...line, sessionId: uuid(session) });

/** A progress line of the parent that shows a message of a sub-agent. */
export const shown = (
  session: number,
  n: number,
  agentId: string,
  { type, timestamp, message, requestId, ...line }: Line,
) =>
  claude(session, n, {
    type: "progress",
    parentToolUseID: "toolu_task",
    data: { type: "agent_progress", agentId, message: { type, timestamp, message, requestId, uuid: line["uuid"] } },
  });

/** The head of a Codex rollout. */
export const rollout = (session: number, model: string): Line[] => [
  {
    timestamp: at(0),
    type: "session_meta",
    payload: { id: uuid(session), timestamp: at(0), cwd: "/home/ada/harbour", originator: "codex-tui", source: "cli" },
  },
  {
    timestamp: at(1),
    type: "turn_context",
    payload: { turn_id: uuid(session + 500), cwd: "/home/ada/harbour", model },
  },
];

type CodexTokens = {
  readonly input: number;
  readonly cached: number;
  readonly output: number;
  readonly reasoning: number;
};

/** A `token_count` of Codex: cached is part of input, reasoning of output. */
export const counted = (second: number, last: CodexTokens, total: CodexTokens): Line => ({
  timestamp: at(second),
  type: "event_msg",
  payload: {
    type: "token_count",
    info: { total_token_usage: codexUsage(total), last_token_usage: codexUsage(last), model_context_window: 272_000 },
  },
});

const codexUsage = ({ input, cached, output, reasoning }: CodexTokens): Line => ({
  input_tokens: input,
  cached_input_tokens: cached,
  output_tokens: output,
  reasoning_output_tokens: reasoning,
  total_tokens: input + output,
});

/** An answer of Codex in its history. */
export const codexAnswer = (second: number): Line => ({
  timestamp: at(second),
  type: "response_item",
  payload: { type: "message", role: "assistant", content: [{ type: "output_text", text: "An answer." }] },
});
