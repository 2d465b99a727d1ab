// Session files of Claude Code and Codex, written by hand (synthetic), whose every text is hostile: each payload
// stands in every field that a page shows.
import { mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { inBlocks, inLine, PAYLOADS, type Payload } from "./payloads.ts";

type Json = Record<string, unknown>;

/** A word that every small session holds beside its payload, to be searched for. */
export const NEEDLE = "quillwort";
export const MAIN_TITLE = "Hostile harbour";
export const RAW_TITLE = "Hostile record";
export const CODEX_TITLE = "Hostile quay";

/** Payloads of one turn. 8: 51 turns of some 25 events, and a text of eight stays under what a list cuts. */
const TURN = 8;
const turns = Array.from({ length: Math.ceil(PAYLOADS.length / TURN) }, (_, at) =>
  PAYLOADS.slice(at * TURN, at * TURN + TURN),
);
const everything = inBlocks(PAYLOADS);
const pad = (text: string): string => text.padEnd(4200, " .");

// A PNG of one pixel; what it is said to be is what is hostile.
const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";

export function writeHostileSessions(folder: string): void {
  const claude = join(folder, "claude");
  writeMain(join(claude, "main"));
  writeRaw(join(claude, "main"));
  for (const [at, payload] of PAYLOADS.entries()) writeSmall(join(claude, "small"), at, payload);
  for (const [at, payload] of PAYLOADS.entries()) writeNamed(join(claude, "named"), at, payload);
  writeCodex(join(folder, "codex"));
}

// Long ago: the page of a running session would scroll by itself.
const WRITTEN = new Date("2026-03-02T00:00:00Z");

function writeFile(path: string | Buffer, text: string): void {
  writeFileSync(path, text);
  utimesSync(path, WRITTEN, WRITTEN);
}

const uuid = (group: number, at: number): string =>
  `${at.toString(16).padStart(8, "0")}-0000-4000-8000-${group.toString(16).padStart(12, "0")}`;

/** Gathers the lines of one Claude Code file. */
class ClaudeFile {
  readonly records: unknown[] = [];
  readonly group: number;
  readonly sessionId: string;
  readonly more: Json;

  constructor(group: number, sessionId: string, more: Json = {}) {
    this.group = group;
    this.sessionId = sessionId;
    this.more = more;
  }

  add(type: string, fields: Json): void {
    const at = this.records.length;
    this.records.push({
      parentUuid: at === 0 ? null : uuid(this.group, at - 1),
      uuid: uuid(this.group, at),
      isSidechain: false,
      sessionId: this.sessionId,
      cwd: "/home/sailor/harbour",
      gitBranch: "tides",
      version: "2.1.219",
      timestamp: new Date(Date.UTC(2026, 1, 1) + this.group * 60_000 + at * 1000).toISOString(),
      ...this.more,
      type,
      ...fields,
    });
  }

  user(content: unknown, more: Json = {}): void {
    this.add("user", { message: { role: "user", content }, ...more });
  }

  answer(block: Json, model = "claude-sonnet-4-5"): void {
    const id = `${this.group}_${this.records.length}`;
    const usage = { input_tokens: 10, cache_read_input_tokens: 9000, cache_creation_input_tokens: 0, output_tokens: 9 };
    const message = { id: `msg_${id}`, role: "assistant", type: "message", model, stop_reason: "end_turn", usage };
    this.add("assistant", { requestId: `req_${id}`, message: { ...message, content: [block] } });
  }

  /** A call and what came back; `more` is what the client knew of the result. */
  tool(name: string, input: unknown, output: unknown, more: { error?: boolean; known?: unknown } = {}): string {
    const id = `toolu_${this.group}_${this.records.length}`;
    this.answer({ type: "tool_use", id, name, input });
    const result = { type: "tool_result", tool_use_id: id, content: output, is_error: more.error === true };
    this.user([result], more.known === undefined ? {} : { toolUseResult: more.known });
    return id;
  }

  write(path: string): void {
    writeLines(path, this.records);
  }
}

/** A record that is a string is a line as it is. */
function writeLines(path: string, records: readonly unknown[]): void {
  mkdirSync(dirname(path), { recursive: true });
  const lines = records.map((record) => (typeof record === "string" ? record : JSON.stringify(record)));
  writeFile(path, lines.map((line) => `${line}\n`).join(""));
}

function writeMain(project: string): void {
  const id = uuid(1, 0);
  const file = new ClaudeFile(1, id);
  file.add("custom-title", { customTitle: MAIN_TITLE });
  for (const [at, payloads] of turns.entries()) {
    const text = inBlocks(payloads);
    const line = payloads.map(inLine).join(" ");
    // The fields of one line have one payload each turn, another kind of it every time.
    const one = inLine(payloads[at % payloads.length] ?? PAYLOADS[0]!);
    messages(file, text, one);
    tools(file, payloads, text, line, one);
    if (at % 4 === 0) smallTools(file, text, line, one);
    strangeRecords(file, one);
    subAgent(file, join(project, id), at, one);
  }
  contents(file);
  file.write(join(project, `${id}.jsonl`));
}

function messages(file: ClaudeFile, text: string, one: string): void {
  file.user(`${one}\n\n${text}`);
  file.user(`<system-reminder>${text}</system-reminder>`, { isMeta: true });
  file.answer({ type: "thinking", thinking: one, signature: one });
  file.answer({ type: "text", text });
  const source = { type: "base64", media_type: `image/png; ${one}`, data: PIXEL };
  file.user([
    { type: "text", text: one },
    { type: "image", source },
  ]);
}

/** The views that draw text in their own way have all payloads. */
function tools(file: ClaudeFile, payloads: readonly Payload[], text: string, line: string, one: string): void {
  file.tool("Bash", { command: text, description: one }, text);
  file.tool("Read", { file_path: `/home/sailor/${line}` }, `     1\t${text.replaceAll("\n", "\n     2\t")}`);
  const lines = text.split("\n").map((part, at) => `${"+- "[at % 3]}${part}`);
  const known = { filePath: one, structuredPatch: [{ oldStart: 1, newStart: 1, lines }] };
  file.tool("Edit", { file_path: line, old_string: one, new_string: one }, "done", { known });
  file.tool("Write", { file_path: line, content: text }, one);
  file.tool("Grep", { pattern: line, path: one, glob: one }, one);
  const todos = payloads.map((payload, at) => ({
    content: inLine(payload),
    status: ["pending", "completed", payload.text][at % 3],
  }));
  file.tool("TodoWrite", { todos }, one);
  file.tool(line, { [one]: text }, one);
}

function smallTools(file: ClaudeFile, text: string, line: string, one: string): void {
  file.tool("Bash", { command: one }, `Exit code 1\n${text}`, { error: true });
  file.tool("MultiEdit", { file_path: one, edits: [{ old_string: text, new_string: one }] }, one);
  file.tool("WebFetch", { url: one, prompt: one }, one);
  file.tool("WebSearch", { query: one }, one);
  // Long enough to be kept beside the log, under a name of its own.
  const content = pad(text);
  file.tool("Read", { file_path: `/home/sailor/${one}` }, content, {
    known: { file: { filePath: `/home/sailor/${one}`, content, totalLines: 9 } },
  });
  const stored = `<persisted-output>\nOutput too large (5.0KB). Full output saved to: /home/sailor/${one}\n\n${text}</persisted-output>`;
  file.tool("Bash", { command: "true" }, stored, { known: { stdout: content, persistedOutputPath: one } });
  file.answer({ type: "tool_use", id: line, name: `mcp__${one}`, input: one });
}

function strangeRecords(file: ClaudeFile, one: string): void {
  file.add(one, { content: one });
  file.add("system", { subtype: one, content: one });
  file.add("system", { subtype: "api_error", error: { formatted: one } });
  file.add("system", {
    subtype: "compact_boundary",
    content: one,
    compactMetadata: { trigger: one, preTokens: 9000, postTokens: 100 },
  });
  file.add("attachment", { attachment: { type: one, prompt: one } });
  file.answer({ type: one, text: one });
  file.user([{ type: "tool_result", tool_use_id: `none ${one}`, content: one }]);
  // Lines that no reader understands.
  file.records.push(`{"broken": ${one}`, JSON.stringify(one));
}

/** Little else than the payloads, once each: what the raw view shows of a record is drawn in one way. */
function writeRaw(project: string): void {
  const file = new ClaudeFile(2, uuid(2, 0));
  file.add("custom-title", { customTitle: RAW_TITLE });
  for (const payloads of turns) {
    const text = inBlocks(payloads);
    file.user(text);
    file.tool("Bash", { [text]: payloads.map(inLine) }, text);
  }
  file.write(join(project, `${file.sessionId}.jsonl`));
}

function subAgent(file: ClaudeFile, folder: string, at: number, line: string): void {
  const agentId = `a${at}`;
  const input = { description: line, subagent_type: line, prompt: line };
  const toolUseId = file.tool("Task", input, line, { known: { agentId, totalTokens: 12 } });
  const child = new ClaudeFile(100 + at, file.sessionId, { isSidechain: true, agentId });
  child.user(line);
  child.answer({ type: "text", text: line });
  const path = join(folder, "subagents", `agent-${agentId}`);
  child.write(`${path}.jsonl`);
  writeFile(`${path}.meta.json`, JSON.stringify({ agentType: line, description: line, toolUseId }));
}

/** What artifacts hold, by its type: the viewers show each in their own way. */
export const CONTENTS: Readonly<Record<string, string>> = {
  "page.html": `<!doctype html><html><body>\n${everything}\n</body></html>`,
  "drawing.svg": `<svg xmlns="http://www.w3.org/2000/svg" onload="window.__xss=1">\n${everything}\n</svg>`,
  "tree.json": JSON.stringify(
    PAYLOADS.map(({ id, text }) => ({ id, [text]: text })),
    null,
    1,
  ),
  // jq refuses half of a surrogate pair before another escape.
  "asked.json": JSON.stringify(PAYLOADS.map((payload) => inLine(payload).toWellFormed())),
  "log.jsonl": PAYLOADS.map((payload) => JSON.stringify({ line: inLine(payload) })).join("\n"),
  "table.csv": PAYLOADS.map(({ id, text }) => `${id},"${text.replaceAll('"', '""')}"`).join("\n"),
  "notes.md": everything,
  "plain.txt": everything,
  "script.js": everything,
};

function contents(file: ClaudeFile): void {
  for (const [name, text] of Object.entries(CONTENTS)) file.tool("Read", { file_path: `/home/sailor/${name}` }, text);
  // One megabyte behind an OSC that never ends, in one line.
  file.tool("Bash", { command: "cat endless" }, `before \u001b]0;${"endless ".repeat(131_072)}`);
}

/** One payload as title, folder, branch, version and model of a session, and beside the searched word. */
function writeSmall(project: string, at: number, payload: Payload): void {
  const line = inLine(payload);
  const file = new ClaudeFile(1000 + at, uuid(1000 + at, 0), { cwd: `/home/${line}`, gitBranch: line, version: line });
  if (at % 2 === 0) file.add("custom-title", { customTitle: line });
  file.user(`${line} ${NEEDLE} ${line}`);
  file.answer({ type: "text", text: `${NEEDLE} ${line}` }, line);
  file.write(join(project, `${file.sessionId}.jsonl`));
}

/** The payload as the name of a folder and of a file in it, as far as a file system allows. */
function writeNamed(project: string, at: number, payload: Payload): void {
  const name = Buffer.from(inLine(payload).replaceAll(/[/\0]/g, "_")).subarray(0, 180);
  const safe = Buffer.concat([Buffer.from(`${project}/`), name]);
  mkdirSync(safe, { recursive: true });
  const path = Buffer.concat([safe, Buffer.from("/"), name, Buffer.from(".jsonl")]);
  const broken = at % 40 === 0 ? `\n{"broken": ${inLine(payload)}` : "";
  const record = {
    type: "custom-title",
    customTitle: `Named ${at}`,
    sessionId: uuid(5000 + at, 0),
    uuid: uuid(5000 + at, 1),
    parentUuid: null,
  };
  writeFile(path, `${JSON.stringify(record)}${broken}\n`);
}

function writeCodex(folder: string): void {
  const id = uuid(9000, 0);
  const [first = []] = turns;
  const line = first.map(inLine).join(" ");
  let at = 0;
  const records: Json[] = [];
  const add = (type: string, payload: Json): void => {
    records.push({ timestamp: new Date(Date.UTC(2026, 2, 1) + 1000 * at++).toISOString(), type, payload });
  };
  const item = (payload: Json): void => add("response_item", payload);
  const git = { branch: line, repository_url: line };
  add("session_meta", {
    id,
    cwd: `/home/${line}`,
    originator: line,
    cli_version: line,
    source: "cli",
    git,
    instructions: line,
  });
  add("event_msg", { type: "thread_name_updated", thread_name: CODEX_TITLE });
  for (const [turn, payloads] of turns.entries()) codexTurn(turn, payloads, add, item);
  writeLines(join(folder, `rollout-2026-03-01T00-00-00-${id}.jsonl`), records);
}

function codexTurn(
  turn: number,
  payloads: readonly Payload[],
  add: (type: string, payload: Json) => void,
  item: (payload: Json) => void,
): void {
  const text = inBlocks(payloads);
  const line = payloads.map(inLine).join(" ");
  const one = inLine(payloads[turn % payloads.length] ?? PAYLOADS[0]!);
  add("turn_context", { turn_id: uuid(9001, turn), cwd: "/home/sailor", model: payloads[0]?.text });
  item({ type: "message", role: "developer", content: [{ type: "input_text", text }] });
  item({ type: "message", role: "user", content: [{ type: "input_text", text }] });
  add("event_msg", { type: "user_message", message: text, images: [] });
  item({ type: "reasoning", id: `rs_${turn}`, summary: [{ type: "summary_text", text: one }] });
  item({ type: "message", role: "assistant", content: [{ type: "output_text", text }] });
  const calls: [string, unknown][] = [
    ["exec_command", { cmd: text }],
    ["shell", { command: ["bash", "-lc", one], workdir: one }],
    ["update_plan", { explanation: one, plan: payloads.map((one) => ({ step: inLine(one), status: "pending" })) }],
    ["spawn_agent", { task_name: one, message: one, agent_type: one }],
    ["apply_patch", `*** Begin Patch\n*** Update File: ${line}\n@@ ${line}\n-${line}\n+${line}\n*** End Patch`],
    [one, text],
  ];
  for (const [at, [name, input]] of calls.entries()) {
    const call_id = `call_${turn}_${at}`;
    item({
      type: "function_call",
      name,
      arguments: typeof input === "string" ? input : JSON.stringify(input),
      call_id,
    });
    item({
      type: "function_call_output",
      call_id,
      output: `Process exited with code 0\nOutput:\n${at === 0 ? text : one}`,
    });
  }
  item({ type: "web_search_call", id: `ws_${turn}`, action: { type: "search", query: line, url: payloads[0]?.text } });
  item({ type: one, content: one });
  add(one, { text: one });
  add("event_msg", { type: one, message: one });
  add("event_msg", { type: "error", message: one });
  add("event_msg", { type: "warning", message: one });
}
