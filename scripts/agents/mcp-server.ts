// An MCP server over standard input and output, with tools whose answers are known to the byte: `rows` of a length, and `wait`,
// which answers after a time, so that parallel calls end in another order than they began. Its name is its argument.
import { createInterface } from "node:readline";
import { rowsText, waitText } from "./known-outputs.ts";

type Message = { readonly id?: number | string; readonly method: string; readonly params?: Record<string, unknown> };

const TOOLS = [
  tool("rows", "Rows of a table", "count", "How many"),
  tool("wait", "Answers after a time", "ms", "Milliseconds"),
];

for await (const line of createInterface({ input: process.stdin })) {
  if (line.trim() !== "") void answer(JSON.parse(line) as Message);
}

async function answer({ id, method, params = {} }: Message): Promise<void> {
  // A notification asks for nothing.
  if (id === undefined) return;
  const result = await resultOf(method, params);
  const answered = result === null ? { error: { code: -32_601, message: `No method ${method}` } } : { result };
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...answered })}\n`);
}

async function resultOf(method: string, params: Record<string, unknown>): Promise<object | null> {
  if (method === "initialize") {
    const serverInfo = { name: process.argv[2] ?? "shelf", version: "1.0.0" };
    return { protocolVersion: params["protocolVersion"], capabilities: { tools: {} }, serverInfo };
  }
  if (method === "ping") return {};
  if (method === "tools/list") return { tools: TOOLS };
  if (method !== "tools/call") return null;
  const { name, arguments: input } = params as { name: string; arguments: { count?: number; ms?: number } };
  if (name === "rows") return textResult(rowsText(input.count ?? 1));
  await new Promise((done) => setTimeout(done, input.ms ?? 0));
  return textResult(waitText(input.ms ?? 0));
}

function textResult(text: string): object {
  return { content: [{ type: "text", text }] };
}

function tool(name: string, description: string, key: string, about: string): object {
  const inputSchema = {
    type: "object",
    properties: { [key]: { type: "number", description: about } },
    required: [key],
  };
  // Agents run calls beside each other that only read.
  return { name, description, inputSchema, annotations: { readOnlyHint: true } };
}
