// Sessions of Claude Code, Codex and pi as those of testing-agents.ts: a small turn, then one with an image in its prompt, sealed
// reasoning and a large output. Written by hand (synthetic).
import { answer, asks, prompt, result, SESSION, text, used } from "#lib/formats/claude-code/testing-claude.ts";
import { client, counted, said, tokens } from "#lib/formats/codex/testing-codex.ts";
import { BIG, type SyntheticAgent } from "./testing-agents.ts";

const PNG = "iVBORw0KGgo=";
const CWD = "/home/ada/harbour";
const SEALED = "c3ludGhldGlj";

function claude(): SyntheticAgent {
  const image = { type: "image", source: { type: "base64", media_type: "image/png", data: PNG } };
  const tried = (record: object): object => ({ ...record, version: "2.1.330" });
  return {
    id: "claude-code",
    session: SESSION,
    file: `home/.claude/projects/-home-ada-harbour/${SESSION}.jsonl`,
    records: [
      prompt("p1", 0, "Read the tide tables"),
      answer("a1", 1, "m1", asks("c1", "Bash", { command: "cat piers.json" }), { usage: used(10, 3990, 0, 20) }),
      result("r1", 2, "c1", "pier 1: sound\npier 2: leak at the ladder"),
      answer("a2", 3, "m2", text("Pier 2 leaks."), { usage: used(10, 4090, 0, 9) }),
      prompt("p2", 4, [{ type: "text", text: "And the whole table?" }, image] as never),
      answer("a3", 5, "m3", { type: "thinking", thinking: "Soon.", signature: SEALED } as never, {
        usage: used(10, 4190, 0, 21),
      }),
      answer("a4", 6, "m3", asks("c2", "Bash", { command: "cat tides" }), { usage: used(10, 4190, 0, 21) }),
      result("r2", 7, "c2", BIG),
      answer("a5", 8, "m4", text("It has 900 rows."), { usage: used(10, 29_990, 0, 8) }),
    ].map(tried),
    call: [answer("a6", 9, "m5", asks("c3", "Bash", { command: "sleep 100" }), { usage: used(10, 30_090, 0, 12) })].map(
      tried,
    ),
    resume: (id) => `claude --resume ${id}`,
  };
}

function codex(): SyntheticAgent {
  const session = "01a00000-0000-7000-8000-00000000feed";
  const item = (payload: object) => ({ timestamp: "2026-05-02T09:00:00.000Z", type: "response_item", payload });
  let sum = { input: 0, output: 0 };
  const charged = (input: number, output: number) => {
    sum = { input: sum.input + input, output: sum.output + output };
    const { payload, ...record } = counted(tokens(sum.input, 0, sum.output), tokens(input, 0, output));
    const { info } = payload as { info: object };
    return { ...record, payload: { type: "token_count", info: { ...info, model_context_window: 200_000 } } };
  };
  const call = (id: string, cmd: string) =>
    item({ type: "function_call", name: "exec_command", arguments: JSON.stringify({ cmd }), call_id: id });
  const output = (id: string, words: string) => item({ type: "function_call_output", call_id: id, output: words });
  const turn = (n: number) => [
    client({ type: "task_started", turn_id: `01a00000-0000-7000-8000-0000000000f${n}`, model_context_window: 200_000 }),
    {
      ...item({ turn_id: `01a00000-0000-7000-8000-0000000000f${n}`, cwd: CWD, model: "gpt-5.5" }),
      type: "turn_context",
    },
  ];
  return {
    id: "codex",
    session,
    file: `home/.codex/sessions/2026/05/02/rollout-2026-05-02T09-00-00-${session}.jsonl`,
    records: [
      {
        timestamp: "2026-05-02T09:00:00.000Z",
        type: "session_meta",
        payload: {
          ...{ id: session, timestamp: "2026-05-02T09:00:00.000Z", cwd: CWD, originator: "codex_exec" },
          ...{ cli_version: "0.169.0", source: "exec", model_provider: "openai" },
          base_instructions: { text: "You are a harbour master." },
        },
      },
      ...turn(1),
      said("user", "Read the tide tables"),
      client({ type: "user_message", message: "Read the tide tables", images: [], local_images: [] }),
      call("c1", "cat piers.json"),
      output("c1", "pier 1: sound\npier 2: leak at the ladder"),
      charged(4000, 20),
      said("assistant", "Pier 2 leaks."),
      charged(4100, 9),
      ...turn(2),
      item({
        type: "message",
        role: "user",
        content: [
          { type: "input_text", text: "And the whole table?" },
          { type: "input_image", image_url: `data:image/png;base64,${PNG}` },
        ],
      }),
      client({ type: "user_message", message: "And the whole table?", images: [], local_images: [] }),
      item({ type: "reasoning", id: "rs_1", summary: [], encrypted_content: SEALED }),
      call("c2", "cat tides"),
      output("c2", BIG),
      charged(4200, 21),
      said("assistant", "It has 900 rows."),
      charged(30_000, 8),
    ],
    call: [call("c3", "sleep 100"), charged(30_100, 12)],
    resume: (id) => `codex resume ${id}`,
  };
}

function pi(): SyntheticAgent {
  const session = "019cae00-0000-7000-8000-00000000feed";
  let n = 0;
  const at = (): string => new Date(Date.UTC(2026, 4, 2, 9, 0, n)).toISOString();
  const entry = (value: object): object => {
    const parentId = n === 0 ? null : `0000000${n}`.slice(-8);
    n++;
    return { type: "message", id: `0000000${n}`.slice(-8), parentId, timestamp: at(), message: value };
  };
  const words = (value: string) => ({ type: "text", text: value });
  const user = (...content: object[]) => entry({ role: "user", content });
  const says = (input: number, output: number, ...content: object[]) =>
    entry({
      ...{ role: "assistant", content, api: "anthropic-messages", provider: "anthropic", model: "claude-opus-4-5" },
      usage: { input, output, cacheRead: 0, cacheWrite: 0, totalTokens: input + output, cost: { total: 0.01 } },
      stopReason: "stop",
    });
  const call = (id: string, command: string) => ({ type: "toolCall", id, name: "bash", arguments: { command } });
  const output = (toolCallId: string, value: string) =>
    entry({ role: "toolResult", toolCallId, toolName: "bash", content: [words(value)], isError: false });
  return {
    id: "pi",
    session,
    file: `home/.pi/agent/sessions/--home-ada-harbour--/2026-05-02T09-00-00-000Z_${session}.jsonl`,
    records: [
      { type: "session", version: 3, id: session, timestamp: "2026-05-02T09:00:00.000Z", cwd: CWD },
      user(words("Read the tide tables")),
      says(4000, 20, call("c1", "cat piers.json")),
      output("c1", "pier 1: sound\npier 2: leak at the ladder"),
      says(4100, 9, words("Pier 2 leaks.")),
      user(words("And the whole table?"), { type: "image", data: PNG, mimeType: "image/png" }),
      says(4200, 21, { type: "thinking", thinking: "Soon.", thinkingSignature: SEALED }, call("c2", "cat tides")),
      output("c2", BIG),
      says(30_000, 8, words("It has 900 rows.")),
    ],
    call: [says(30_100, 12, call("c3", "sleep 100"))],
    resume: () => "pi --session ",
  };
}

export const FIRST_AGENTS: readonly SyntheticAgent[] = [claude(), codex(), pi()];
