// A session of each agent, written by hand (synthetic): a small turn, then one with an image in its prompt and a large output.

export const BIG = Array.from({ length: 900 }, (_, i) => `row ${i + 1} of the tide table`).join("\n");
const PNG = "iVBORw0KGgo=";
const CWD = "/home/ada/harbour";

export type SyntheticAgent = {
  readonly id: string;
  /** Its name in the agent's words. */
  readonly session: string;
  readonly file: string;
  readonly records: readonly unknown[];
  /** Records of a call that has not returned. */
  readonly call: readonly unknown[];
  readonly resume: (session: string) => string;
};

const at = (second: number): string => new Date(Date.UTC(2026, 4, 2, 9, 0, second)).toISOString();
const uuid = (n: number): string => `${String(n).padStart(8, "0")}-0000-4000-8000-0000000000aa`;

function qwen(): SyntheticAgent {
  const session = "5e1ec7ed-0000-4000-8000-00000000feed";
  const base = { sessionId: session, cwd: CWD, version: "0.24.4", gitBranch: "main" };
  let n = 0;
  const record = (type: string, more: object): object => {
    const parentUuid = n === 0 ? null : uuid(n);
    return { uuid: uuid(++n), parentUuid, timestamp: at(n), type, ...base, ...more };
  };
  const user = (...parts: object[]) => record("user", { provenance: "real_user", message: { role: "user", parts } });
  const told = (answer: string, prompt: number, output: number) =>
    record("system", {
      subtype: "ui_telemetry",
      systemPayload: {
        uiEvent: {
          "event.name": "qwen-code.api_response",
          response_id: answer,
          model: "gpt-5.5",
          input_token_count: prompt,
          output_token_count: output,
          total_token_count: prompt + output,
        },
      },
    });
  const answer = (prompt: number, output: number, ...parts: object[]) =>
    record("assistant", {
      model: "gpt-5.5",
      message: { role: "model", parts },
      usageMetadata: { promptTokenCount: prompt, candidatesTokenCount: output, totalTokenCount: prompt + output },
    });
  const asks = (callId: string, command: string) => ({
    functionCall: { id: callId, name: "run_shell_command", args: { command } },
  });
  const result = (callId: string, output: string) =>
    record("tool_result", {
      message: {
        role: "user",
        parts: [{ functionResponse: { id: callId, name: "run_shell_command", response: { output } } }],
      },
      toolCallResult: { callId, status: "success", resultDisplay: output },
    });
  const records = [
    user({ text: "Read the tide tables" }),
    ...[told("r1", 4000, 20), answer(4000, 20, asks("c1", "cat piers.json"))],
    result("c1", "pier 1: sound\npier 2: leak at the ladder"),
    ...[told("r2", 4100, 9), answer(4100, 9, { text: "Pier 2 leaks." })],
    user({ text: "And the whole table?" }, { inlineData: { mimeType: "image/png", data: PNG } }),
    ...[told("r3", 4200, 21), answer(4200, 21, { text: "Soon.", thought: true }, asks("c2", "cat tides"))],
    result("c2", BIG),
    ...[told("r4", 30_000, 8), answer(30_000, 8, { text: "It has 900 rows." })],
  ];
  return {
    id: "qwen",
    session,
    file: `home/.qwen/projects/-home-ada-harbour/chats/${session}.jsonl`,
    records,
    call: [told("r5", 30_100, 12), answer(30_100, 12, asks("c3", "sleep 100"))],
    resume: (id) => `qwen --resume ${id}`,
  };
}

function gemini(): SyntheticAgent {
  const session = "0c0ffee0-0000-4000-8000-00000000feed";
  let n = 0;
  const message = (type: string, more: object): object => ({ id: uuid(++n), timestamp: at(n), type, ...more });
  const user = (...content: object[]) => message("user", { content });
  const tokens = (input: number, output: number) => ({
    input,
    output,
    cached: 0,
    thoughts: 0,
    tool: 0,
    total: input + output,
  });
  const answer = (content: string, input: number, output: number, more: object = {}) =>
    message("gemini", { content, thoughts: [], tokens: tokens(input, output), model: "gemini-2.5-pro", ...more });
  const call = (id: string, command: string, output?: string) => ({
    ...{ id, name: "run_shell_command", args: { command }, timestamp: at(n) },
    ...(output === undefined
      ? { status: "executing" }
      : {
          status: "success",
          result: [{ functionResponse: { id, name: "run_shell_command", response: { output } } }],
          resultDisplay: output,
        }),
  });
  const started = answer("I look.", 4000, 20);
  const whole = answer("", 4200, 21);
  return {
    id: "gemini",
    session,
    file: "home/.gemini/tmp/harbour/chats/session-2026-05-02T09-00-0c0ffee0.jsonl",
    records: [
      { sessionId: session, projectHash: "ab".repeat(32), startTime: at(0), lastUpdated: at(0), kind: "main" },
      { $set: { messages: [user({ text: "<session_context>\nThe day.\n</session_context>" })], lastUpdated: at(1) } },
      user({ text: "Read the tide tables" }),
      started,
      { ...started, toolCalls: [call("c1", "cat piers.json", "pier 1: sound\npier 2: leak at the ladder")] },
      answer("Pier 2 leaks.", 4100, 9),
      user({ text: "And the whole table?" }, { inlineData: { mimeType: "image/png", data: PNG } }),
      whole,
      { ...whole, toolCalls: [call("c2", "cat tides", BIG)] },
      user({ functionResponse: { id: "c2", name: "run_shell_command", response: { output: BIG } } }),
      answer("It has 900 rows.", 30_000, 8),
    ],
    call: [answer("I wait.", 30_100, 12, { toolCalls: [call("c3", "sleep 100")] })],
    resume: (id) => `gemini --resume ${id}`,
  };
}

function copilot(): SyntheticAgent {
  const session = "10000000-0000-4000-8000-00000000feed";
  let n = 0;
  const event = (type: string, data: object): object => {
    const parentId = n === 0 ? null : uuid(n);
    return { type, data, id: uuid(++n), timestamp: at(n), parentId };
  };
  const usage = (apiCallId: string, inputTokens: number, outputTokens: number) =>
    event("session.usage_record", {
      usage: {
        model: "claude-opus-5-5",
        inputTokens,
        outputTokens,
        cacheReadTokens: 0,
        cacheWriteTokens: 0,
        apiCallId,
      },
    });
  const answer = (apiCallId: string, content: string, ...calls: (readonly [string, string])[]) =>
    event("assistant.message", {
      ...{ messageId: `m-${apiCallId}`, model: "claude-opus-5-5", content, apiCallId },
      toolRequests: calls.map(([toolCallId, command]) => ({
        ...{ toolCallId, name: "bash", arguments: { command }, type: "function" },
      })),
    });
  const result = (toolCallId: string, content: string) =>
    event("tool.execution_complete", { toolCallId, success: true, result: { content, detailedContent: content } });
  const user = (content: string) =>
    event("user.message", { content, transformedContent: `<current_datetime>now</current_datetime>\n\n${content}` });
  return {
    id: "copilot",
    session,
    file: `home/.copilot/session-state/${session}/events.jsonl`,
    records: [
      event("session.start", {
        ...{ sessionId: session, version: 1, producer: "copilot-agent", copilotVersion: "1.0.102", startTime: at(0) },
        context: { cwd: CWD },
      }),
      user("Read the tide tables"),
      event("system.message", { role: "system", content: "You are a harbour master." }),
      ...[usage("r1", 4000, 20), answer("r1", "", ["c1", "cat piers.json"])],
      result("c1", "pier 1: sound\npier 2: leak at the ladder"),
      ...[usage("r2", 4100, 9), answer("r2", "Pier 2 leaks.")],
      user("And the whole table?"),
      ...[usage("r3", 4200, 21), answer("r3", "", ["c0", "view pier.png"], ["c2", "cat tides"])],
      event("tool.execution_complete", {
        ...{ toolCallId: "c0", success: true },
        result: {
          content: "Viewed.",
          binaryResultsForLlm: [{ type: "image", data: PNG, mimeType: "image/png" }],
        },
      }),
      result("c2", BIG),
      ...[usage("r4", 30_000, 8), answer("r4", "It has 900 rows.")],
    ],
    call: [usage("r5", 30_100, 12), answer("r5", "", ["c3", "sleep 100"])],
    resume: (id) => `copilot --resume=${id}`,
  };
}

export const SYNTHETIC_AGENTS: readonly SyntheticAgent[] = [qwen(), gemini(), copilot()];
