// The request of an imported session has its results as the agent sent them. The records are synthetic, in the shapes of a
// run of Claude Code 2.1.330: three failed calls, and four calls that finished in another order than they were made.
import { expect, test } from "vitest";
import { answer, asks, jsonl, prompt, result, SESSION, type Rec } from "#lib/formats/claude-code/testing-claude.ts";
import type { RendererId } from "#lib/kernel/context/renderers/renderer-types.ts";
import { importPaths } from "../import/import-paths.ts";
import { inArchive, put } from "../testing-archive.ts";
import { contextPayload } from "./context.ts";

const MISSING = "File does not exist. Note: your current working directory is /home/ada/harbour.";
const call = (n: number, id: string, name: string): Rec =>
  answer(`a ${id}`, n, String(n), asks(id, name, { n: id }), { stop: "tool_use" });

const RECORDS: Rec[] = [
  prompt("p", 1, "Use the tools"),
  call(2, "f1", "Bash"),
  call(2, "f2", "mcp__shelf__fail"),
  call(2, "f3", "Read"),
  result("r1", 3, "f1", "Exit code 2\nls: cannot access 'x'", { is_error: true, toolUseResult: "Error: Exit code 2" }),
  result("r2", 3, "f2", "the shelf is empty", { is_error: true, toolUseResult: "Error: the shelf is empty" }),
  result("r3", 3, "f3", MISSING, { is_error: true, toolUseResult: `Error: ${MISSING}` }),
  call(4, "slow", "Bash"),
  call(4, "quick", "Bash"),
  call(4, "row", "mcp__shelf__fetch_rows"),
  result("s1", 5, "row", [{ type: "text", text: "MCP row 0" }]),
  result("s2", 5, "quick", "quick"),
  result("s3", 7, "slow", "slow"),
];

const EXPECTED = [
  ["f1", "Exit code 2\nls: cannot access 'x'"],
  ["f2", "the shelf is empty"],
  ["f3", MISSING],
  ["row", "MCP row 0"],
  ["quick", "quick"],
  ["slow", "slow"],
];

type Part = Record<string, unknown> & { content?: Part[] };

/** Ids and words of the results in a request, in its order. */
const RESULTS: Partial<Record<RendererId, (request: Record<string, Part[]>) => unknown[]>> = {
  anthropic: ({ messages }) =>
    messages!.flatMap(({ content }) =>
      (Array.isArray(content) ? content : []).flatMap((part) =>
        part["type"] === "tool_result" ? [[part["tool_use_id"], part.content]] : [],
      ),
    ),
  "openai-responses": ({ input }) =>
    input!.flatMap((item) => (item["type"] === "function_call_output" ? [[item["call_id"], item["output"]]] : [])),
  "openai-chat": ({ messages }) =>
    messages!.flatMap((item) => (item["role"] === "tool" ? [[item["tool_call_id"], item.content]] : [])),
};

test.each(Object.entries(RESULTS))("%s: in its words, and in the order in which the calls finished", (as, read) =>
  inArchive(async (archive, logs) => {
    put(logs, `${SESSION}.jsonl`, jsonl(...RECORDS));
    await importPaths(archive, [logs]);
    const { json } = await contextPayload(archive, SESSION, { as: as as RendererId });
    expect(read(JSON.parse(json) as Record<string, Part[]>)).toEqual(EXPECTED);
  }),
);
