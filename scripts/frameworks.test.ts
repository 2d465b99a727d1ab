// Each framework of docs/frameworks, with its real SDK: the example of its page runs against a scripted model and a real Plimsoll,
// both on the loopback. What is checked is the wire: the model gets an envelope, and its reading the right bytes.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { expect, test } from "vitest";
import { Plimsoll } from "#lib/client/index.ts";
import { withServer } from "#lib/client/testing-server.ts";
import { ANSWER, ARTIFACT, ORDERS, ORDERS_SCRIPT } from "./orders-script.ts";
import { FRAMEWORKS, runExample } from "./run-example.ts";

const FOLDER = FRAMEWORKS;

/** A text as it stands inside the JSON of a request. */
const escaped = (text: string): string => JSON.stringify(text).slice(1, -1);

/** The server of another's tools: its client is the official one. */
test("mcp: the client of a server gets an envelope, reads the bytes back, and Plimsoll has the calls", () =>
  withServer(async ({ url, tokens }) => {
    const home = mkdtempSync(join(tmpdir(), "plimsoll-framework-"));
    const env = { PATH: process.env["PATH"]!, HOME: home, PLIMSOLL_URL: url, PLIMSOLL_TOKEN: tokens.write };
    const args = [join(FOLDER, "mcp-server-stdio.ts")];
    const client = new Client({ name: "test", version: "1" });
    try {
      await client.connect(new StdioClientTransport({ command: process.execPath, args, env, cwd: home }));
      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name)).toEqual(["artifact_read", "artifact_grep", "artifact_jq", "list_orders"]);
      const ask = async (name: string, input: Record<string, unknown>): Promise<string> =>
        JSON.stringify((await client.callTool({ name, arguments: input })).content);
      const envelope = await ask("list_orders", { year: 2026 });
      expect([envelope.includes(ARTIFACT), envelope.length < 2000]).toEqual([true, true]);
      expect(await ask("artifact_read", { artifact_id: ARTIFACT })).toContain(escaped(ORDERS.slice(0, 8000)));
      expect(await ask("artifact_jq", { artifact_id: ARTIFACT, expression: "length" })).toContain("2000");
      const { events } = await new Plimsoll({ url, token: tokens.write }).session("plimsoll:mcp-server").events();
      expect(events).toMatchObject([
        { type: "tool_call", toolName: "list_orders" },
        { type: "tool_result", saw: "preview", stored: { sizeBytes: ORDERS.length } },
      ]);
    } finally {
      await client.close();
      rmSync(home, { recursive: true, force: true });
    }
  }));

const NAMES = readdirSync(FOLDER)
  .filter((name) => name.endsWith("-example.ts"))
  .map((name) => name.replace("-example.ts", ""));

test.each(NAMES)("%s: the model gets an envelope, reads the bytes back, and Plimsoll has the session", (name) =>
  withServer(async (server) => {
    const { printed, kept } = await runExample(`${name}-example`, server, ORDERS_SCRIPT);
    expect(printed).toBe(ANSWER);
    const wire = kept.map(({ body }) => JSON.stringify(body));
    expect(wire).toHaveLength(3);
    const [first, second, third] = wire as [string, string, string];
    expect([first.includes('"list_orders"'), first.includes('"artifact_read"')]).toEqual([true, true]);
    expect([second.includes(ARTIFACT), second.includes(escaped('"id":1999'))]).toEqual([true, false]);
    expect(second.length - first.length).toBeLessThan(2000);
    expect(third).toContain(escaped(ORDERS.slice(0, 8000)));

    const session = new Plimsoll({ url: server.url, token: server.tokens.write }).session(`plimsoll:${name}`);
    const { events } = await session.events();
    const types = ["system", "user", "tool_call", "tool_result", "tool_call", "tool_result", "assistant"];
    expect(events.map(({ type }) => type)).toEqual(types);
    expect(events[3]).toMatchObject({ saw: "preview", toolName: "list_orders", stored: { sizeBytes: ORDERS.length } });
    const charged = kept.map(({ answer }) => answer!.usage);
    const { calls } = await session.load();
    expect(calls.map(({ prompt }) => prompt)).toEqual(
      charged.map((one) => one.uncached + one.cacheRead + one.cacheWrite5m + one.cacheWrite1h),
    );
  }),
);

const SHOWN = readdirSync(FOLDER).filter((name) => name.endsWith(".ts"));

test.each(SHOWN)("%s: its page shows the very example, with the names of the package", (file) => {
  const name = file.replace(/-(?:example|memory|stdio)\.ts$/, "");
  const [, ...code] = readFileSync(join(FOLDER, file), "utf8").split("\n");
  const shown = code
    .join("\n")
    .replace("#lib/client/index.ts", "plimsoll")
    .replace(/#lib\/client\/(\w+)-entry\.ts/g, "plimsoll/$1");
  expect(readFileSync(join(FOLDER, `${name}.md`), "utf8")).toContain(`\`\`\`ts\n${shown}\`\`\``);
});
