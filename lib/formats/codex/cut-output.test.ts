// Outputs that Codex cuts for the model, of which its own log holds more. Synthetic, in the shapes of a run of 0.169.0: a
// command's 168,894 bytes (40 kB shown, 65,536 kept) and an MCP answer of 63,889 characters (48 kB shown, 60,715 kept).
import { expect, test } from "vitest";
import { at, client, events, parse, run, linesOf, TURN } from "./testing-codex.ts";

const lines = (count: number, name = ""): string[] => Array.from({ length: count }, (_, n) => `${name}${n + 1}`);
const WHOLE = `${lines(30_000).join("\n")}\n`;
const KEPT = `${WHOLE.slice(0, 32_740)}\n\n... command output truncated for persistence ...\n\n${WHOLE.slice(-32_740)}`;
const cut = (text: string, each: number): string =>
  `${text.slice(0, each)}…${Math.ceil((text.length - 2 * each) / 4)} tokens truncated…${text.slice(-each)}`;

const started = client({ type: "task_started", turn_id: TURN, model_context_window: 258_400 });
const callOf = (id: string, name: string, more: object = {}) =>
  at({ type: "function_call", name, arguments: "{}", call_id: id, ...more });
const answered = (id: string, output: unknown) => at({ type: "function_call_output", call_id: id, output });
const completed = (item: object) => client({ type: "item_completed", turn_id: TURN, item });
const command = (id: string, output: string, exit = 0) =>
  completed({
    type: "CommandExecution",
    id,
    status: exit === 0 ? "completed" : "failed",
    aggregated_output: output,
    exit_code: exit,
    duration: { secs: 1, nanos: 500_000_000 },
  });
const header = (tokens: number): string =>
  `Chunk ID: c1c6f8\nWall time: 1.5000 seconds\nProcess exited with code 0\nOriginal token count: ${tokens}\nOutput:\n`;
const result = (...records: unknown[]) =>
  events(parse(started, ...records)).find(({ body }) => body.type === "tool_result")!;

test("a command's cut output is stored as the client kept it, with the size of the whole", () => {
  const tokens = Math.ceil(WHOLE.length / 4);
  const shown = `${header(tokens)}Warning: truncated output (original token count: ${tokens})\nTotal output lines: 30000\n\n${cut(WHOLE, 20_000)}`;
  const { body, fullText } = result(callOf("c", "exec_command"), command("c", KEPT), answered("c", shown));
  expect(fullText).toBe(KEPT);
  expect(body).toMatchObject({ saw: "preview", offloadedBy: "agent", text: shown });
  expect(Math.abs((body as { storedBytes: number }).storedBytes - WHOLE.length)).toBeLessThan(4);
});

test("so is an MCP answer, whose own cut is counted", () => {
  const rows = lines(5000, "MCP row ").join("\n");
  const kept = `Truncated tool output:\n${rows.slice(0, 29_000)}…${rows.length - 58_000} chars truncated…${rows.slice(-29_000)}`;
  const item = { type: "McpToolCall", id: "m", server: "shelf", tool: "fetch_rows", status: "completed" };
  const shown = [
    { type: "input_text", text: "Wall time: 0.0208 seconds\nOutput:" },
    { type: "input_text", text: cut(rows, 24_000) },
  ];
  const { body, fullText } = result(
    callOf("m", "fetch_rows", { namespace: "mcp__shelf" }),
    completed({ ...item, result: { content: [{ type: "text", text: kept }] } }),
    answered("m", shown),
  );
  expect(fullText).toBe(kept.replace("Truncated tool output:\n", ""));
  expect(body).toMatchObject({ saw: "preview", storedBytes: rows.length });
});

test("an MCP answer that the client tells in another shape is cut, and the rest is nowhere", () => {
  const item = { type: "McpToolCall", id: "m", status: "completed" };
  const json = JSON.stringify({ a: lines(5000, "row ") });
  const { body, fullText } = result(
    callOf("m", "struct", { namespace: "mcp__shelf" }),
    completed({ ...item, result: { content: [{ type: "text", text: JSON.stringify({ content: json }) }] } }),
    answered("m", `Wall time: 0.0474 seconds\nOutput:\n${cut(json, 24_000)}`),
  );
  expect(fullText).toBeUndefined();
  expect(body).toMatchObject({ saw: "preview", offloadedBy: "agent" });
});

test("an older client's log gives its output too", () => {
  const end = client({ type: "exec_command_end", call_id: "c", aggregated_output: WHOLE, exit_code: 0 });
  const { fullText } = result(callOf("c", "shell"), end, answered("c", `${header(42_224)}${cut(WHOLE, 20_000)}`));
  expect(fullText).toBe(WHOLE);
});

test.each([
  ["the model saw all of it", WHOLE, `${header(42_224)}${WHOLE}`],
  [
    "it is told in another shape",
    `{"content":[{"type":"text","text":"${WHOLE}"}]}`,
    `${header(42_224)}${cut(WHOLE, 20_000)}`,
  ],
  ["it is no more than what was shown", KEPT.slice(0, 30_000), `${header(42_224)}${cut(WHOLE, 20_000)}`],
])("nothing is taken from the client where %s", (_, output, shown) => {
  expect(result(callOf("c", "exec_command"), command("c", output), answered("c", shown)).fullText).toBeUndefined();
});

test("a failure that only the client's log tells is one", () => {
  const item = { type: "McpToolCall", id: "m", status: "failed", result: { content: [], isError: true } };
  const shown = [
    { type: "input_text", text: "Wall time: 0.0051 seconds\nOutput:" },
    { type: "input_text", text: "the shelf is empty" },
  ];
  expect(result(callOf("m", "fail"), completed(item), answered("m", shown)).body).toMatchObject({ isError: true });
});

test("outputs whose results never come do not fill the parser's state", () => {
  const records = lines(60, "c").flatMap((id) => [callOf(id, "exec_command"), command(id, KEPT)]);
  expect(JSON.stringify(run("a.jsonl", linesOf(started, ...records)).state).length).toBeLessThan(1_300_000);
});
