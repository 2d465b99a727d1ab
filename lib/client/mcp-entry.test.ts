// An MCP server on the official SDK whose results are offloaded, with the official client, which checks results against their
// output schemas.
import { Client } from "@modelcontextprotocol/client";
import { InMemoryTransport, inputRequired, McpServer } from "@modelcontextprotocol/server";
import { expect, test } from "vitest";
import { z } from "zod";
import { ArtifactKit } from "./artifact-kit.ts";
import type { ArtifactStore } from "./artifact-store.ts";
import { wrapServer, wrapTool, type WrapServerOptions } from "./mcp-entry.ts";

const ROWS = Array.from({ length: 2000 }, (_, id) => ({ id, total: (id * 37) % 500 }));
const BIG = JSON.stringify(ROWS);

type Block = { readonly type: string; readonly text?: string };
type Result = { content: Block[]; isError?: boolean; structuredContent?: unknown; _meta?: unknown };
type Call = (name: string, input?: object) => Promise<Result>;

/** A client of a server; `register` adds its tools. */
async function connected<T>(
  register: (server: McpServer) => void,
  run: (call: Call, client: Client) => Promise<T>,
  { kit = new ArtifactKit(), ...options }: WrapServerOptions & { kit?: ArtifactKit } = {},
): Promise<T> {
  const server = wrapServer(new McpServer({ name: "harbour", version: "1" }), kit, options);
  register(server);
  const [here, there] = InMemoryTransport.createLinkedPair();
  const client = new Client({ name: "test", version: "1" });
  await Promise.all([server.connect(there), client.connect(here)]);
  try {
    // It checks outputs against the schemas that it was told of.
    await client.listTools();
    return await run(
      async (name, input = {}) => (await client.callTool({ name, arguments: { ...input } })) as Result,
      client,
    );
  } finally {
    await client.close();
  }
}

const text = (words: string): Block => ({ type: "text", text: words });
const wordsOf = ({ content }: Result): string => content.map((block) => block.text ?? `[${block.type}]`).join("\n");
const idIn = (result: Result): string => /art_[0-9a-f]{16}/.exec(wordsOf(result))?.[0] ?? "";

test("a large text becomes an envelope, and artifact_read of the same server reads it back", () =>
  connected(
    (server) => {
      server.registerTool("rows", { inputSchema: z.object({ year: z.number() }) }, ({ year }) => ({
        content: [{ type: "text", text: `${year} ${BIG}` }],
      }));
      server.registerTool("small", {}, () => ({ content: [{ type: "text", text: "few" }], _meta: { note: 1 } }));
    },
    async (call, client) => {
      const { tools } = await client.listTools();
      expect(tools.map(({ name, annotations }) => [name, annotations?.readOnlyHint])).toEqual([
        ["artifact_read", true],
        ["rows", undefined],
        ["small", undefined],
      ]);
      expect(tools[0]!.inputSchema).toMatchObject({ properties: { artifact_id: { type: "string" } } });
      const offloaded = await call("rows", { year: 2026 });
      expect(wordsOf(offloaded).length).toBeLessThan(2000);
      const page = await call("artifact_read", { artifact_id: idIn(offloaded) });
      expect(wordsOf(page)).toContain(`2026 ${BIG}`.slice(0, 4000));
      expect(await call("small")).toMatchObject({ content: [text("few")], _meta: { note: 1 } });
      const wrong = await call("artifact_read", { artifact: 1 });
      expect(wrong.isError).toBe(true);
      expect(wordsOf(wrong)).toContain("artifact_read: ");
    },
  ));

test("lists of blocks, embedded resources and bare structured content are offloaded; images stay", () =>
  connected(
    (server) => {
      const image = { type: "image" as const, data: "aGk=", mimeType: "image/png" };
      const resource = { uri: "file:///tides.csv", mimeType: "text/csv", text: BIG };
      server.registerTool("blocks", {}, () => ({
        content: [image, { type: "text", text: "head" }, { type: "resource", resource }],
      }));
      server.registerTool("structured", {}, () => ({ content: [], structuredContent: { rows: ROWS } }));
    },
    async (call) => {
      const blocks = await call("blocks");
      expect(blocks.content.map(({ type }) => type)).toEqual(["image", "text"]);
      expect(wordsOf(await call("artifact_read", { artifact_id: idIn(blocks) }))).toContain(BIG.slice(0, 4000));
      const structured = await call("structured");
      expect(structured.structuredContent).toBeUndefined();
      expect(wordsOf(await call("artifact_read", { artifact_id: idIn(structured) }))).toContain('{"rows":[{"id":0');
    },
  ));

const withSchema = (server: McpServer): void => {
  const outputSchema = z.object({ rows: z.array(z.object({ id: z.number(), total: z.number() })) });
  server.registerTool("typed", { outputSchema }, () => ({
    content: [{ type: "text", text: JSON.stringify({ rows: ROWS }) }],
    structuredContent: { rows: ROWS },
  }));
};

test("a tool with an output schema stays valid: its text is an envelope, its structured content whole", () =>
  connected(withSchema, async (call) => {
    const typed = await call("typed");
    expect([idIn(typed).length, wordsOf(typed).length < 2000]).toEqual([20, true]);
    expect(typed.structuredContent).toEqual({ rows: ROWS });
  }));

test("`drop`: without its output schema the structured content is offloaded too", () =>
  connected(
    withSchema,
    async (call, client) => {
      const { tools } = await client.listTools();
      expect(tools.some((tool) => tool.outputSchema !== undefined)).toBe(false);
      const typed = await call("typed");
      expect([typed.structuredContent, idIn(typed).length]).toEqual([undefined, 20]);
    },
    { outputSchemas: "drop" },
  ));

test("an error stays an error, what a handler throws is told, and a question to the client passes", () =>
  connected(
    (server) => {
      const failing = { content: [{ type: "text" as const, text: BIG }], isError: true };
      server.registerTool("failed", {}, () => failing);
      server.registerTool("threw", {}, () => {
        throw new Error("the harbour is closed");
      });
      const asked = inputRequired({ requestState: "x" });
      const ask = wrapTool("ask", () => asked, new ArtifactKit());
      server.registerTool("asked", {}, async () => ({ content: [text(String((await ask()) === asked)) as never] }));
    },
    async (call) => {
      const failed = await call("failed");
      expect([failed.isError, idIn(failed).length]).toEqual([true, 20]);
      expect(await call("threw")).toMatchObject({ isError: true, content: [text("the harbour is closed")] });
      expect(wordsOf(await call("asked"))).toBe("true");
    },
  ));

test("where the store fails the client gets the whole result", () => {
  const store = {
    storeOutcome: () => {
      throw new Error("disk full");
    },
    retrieve: () => null,
  } as unknown as ArtifactStore;
  return connected(
    (server) => void server.registerTool("rows", {}, () => ({ content: [{ type: "text", text: BIG }] })),
    async (call) => expect(wordsOf(await call("rows"))).toBe(BIG),
    { kit: new ArtifactKit({ folder: { store, session: "s" } }) },
  );
});

test("each call has a name of its own, and a handler that is changed later is offloaded too", async () => {
  const calls: string[] = [];
  const kit = new ArtifactKit({ onDecision: ({ callId }) => void calls.push(callId) });
  await connected(
    (server) => {
      const tool = server.registerTool("rows", {}, () => ({ content: [{ type: "text", text: "first" }] }));
      tool.update({ callback: () => ({ content: [{ type: "text", text: BIG }] }) });
    },
    async (call) => {
      const [one, two] = [await call("rows"), await call("rows")];
      expect([idIn(one).length, idIn(two)]).toEqual([20, idIn(one)]);
    },
    { kit },
  );
  expect(new Set(calls).size).toBe(2);
  expect(calls.every((id) => /^call_[0-9a-f]{8}$/.test(id))).toBe(true);
});
