// Synthetic Claude Code sessions for browser tests: written by hand, no real data. A session is a prompt and a
// list of calls; each call answers the one before and says how many tokens its prompt had.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

export type SampleCall = {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly output: string;
  /** Tokens of the prompt that made this call. */
  readonly prompt: number;
  /** What the user says after its result: another turn begins. */
  readonly then?: string;
};

export type Sample = {
  /** A uuid: Claude Code names the file by it. */
  readonly id: string;
  readonly prompt: string;
  readonly calls: readonly SampleCall[];
  /** Where it ran. */
  readonly cwd?: string;
  /** The git branch that it names. */
  readonly branch?: string;
  /** First line's time. */
  readonly startedAt?: string;
  /** The last call was refused because its prompt was too long. */
  readonly overflow?: boolean;
  /** Its parent and its name there: the session is a sub-agent's. */
  readonly agent?: { readonly parent: string; readonly name: string };
};

/** A uuid that ends in a number. */
export function sampleId(number: number): string {
  return `11111111-2222-4333-8444-${String(number).padStart(12, "0")}`;
}

/** Writes a session below a folder of projects; returns the path of its file. */
export function writeSample(projects: string, sample: Sample): string {
  const project = join(projects, (sample.cwd ?? "/home/sailor/harbour").replace(/[^A-Za-z0-9-]/g, "-"));
  const path = sample.agent
    ? join(project, sample.agent.parent, "subagents", `agent-${sample.agent.name}.jsonl`)
    : join(project, `${sample.id}.jsonl`);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, sampleLines(sample).join(""));
  return path;
}

/** The lines of a session, each with its newline. */
export function sampleLines(sample: Sample): string[] {
  const lines: Record<string, unknown>[] = [user(sample.prompt)];
  for (const [at, call] of sample.calls.entries()) {
    const toolCallId = `toolu_${sample.id.slice(-6)}_${at}`;
    lines.push(assistant(at, call, toolCallId));
    lines.push(user([{ type: "tool_result", tool_use_id: toolCallId, content: call.output }]));
    if (call.then !== undefined) lines.push(user(call.then));
  }
  if (sample.overflow) lines.push(refusal());
  const startedAt = Date.parse(sample.startedAt ?? "2026-03-02T09:00:00.000Z");
  return lines.map((line, at) => {
    const envelope = {
      parentUuid: at === 0 ? null : uuid(sample, at - 1),
      uuid: uuid(sample, at),
      isSidechain: sample.agent !== undefined,
      ...(sample.agent ? { agentId: sample.agent.name } : {}),
      sessionId: sample.agent?.parent ?? sample.id,
      cwd: sample.cwd ?? "/home/sailor/harbour",
      version: "2.1.219",
      ...(sample.branch === undefined ? {} : { gitBranch: sample.branch }),
      timestamp: new Date(startedAt + at * 5000).toISOString(),
    };
    return `${JSON.stringify({ ...envelope, ...line })}\n`;
  });
}

function uuid(sample: Sample, at: number): string {
  const number = Number.parseInt(sample.id.slice(-12), 10) * 1000 + at;
  // Spread over the first digits, as real ones are.
  const head = (Math.imul(number, 0x9e3779b1) >>> 0).toString(16).padStart(8, "0");
  return `${head}-0000-4000-8000-${number.toString(16).padStart(12, "0")}`;
}

function user(content: unknown): Record<string, unknown> {
  return { type: "user", message: { role: "user", content } };
}

function assistant(at: number, call: SampleCall, toolCallId: string): Record<string, unknown> {
  const message = {
    id: `msg_${toolCallId}`,
    role: "assistant",
    type: "message",
    model: "claude-opus-4-5",
    stop_reason: "tool_use",
    content: [{ type: "tool_use", id: toolCallId, name: call.tool, input: call.input }],
    usage: {
      input_tokens: 10,
      cache_read_input_tokens: call.prompt - 10,
      cache_creation_input_tokens: 0,
      output_tokens: 80,
    },
  };
  return { type: "assistant", requestId: `req_${toolCallId}_${at}`, message };
}

function refusal(): Record<string, unknown> {
  const content = [{ type: "text", text: "Prompt is too long" }];
  const message = { id: "msg_refused", role: "assistant", type: "message", model: "<synthetic>", content };
  return { type: "assistant", isApiErrorMessage: true, message };
}

/** Some lines of text that weigh about so many bytes. */
export function filler(bytes: number, word = "ballast"): string {
  const line = `${word} 0123456789 abcdefghijklmnopqrstuvwxyz\n`;
  return line.repeat(Math.ceil(bytes / line.length)).slice(0, bytes);
}
