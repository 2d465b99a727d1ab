// MCP over HTTP with the official client, of both protocols: what is listed, called, read and refused, and that no client sees
// what another's token does not.
import type { Client } from "@modelcontextprotocol/client";
import { describe, expect, test } from "vitest";
import { createSession } from "#lib/archive/artifacts/create-session.ts";
import { storeArtifact } from "#lib/archive/artifacts/store-artifact.ts";
import type { Archive } from "#lib/archive/base/archive-type.ts";
import { ingest } from "#lib/archive/memory/ingest-records.ts";
import { createToken } from "#lib/archive/settings/access-tokens.ts";
import { inArchive } from "#lib/archive/testing-archive.ts";
import { LIMITS } from "#lib/kernel/limits.ts";
import { runTool } from "#lib/tools/run-tool.ts";
import { withDoors, withMcp, type DoorServer } from "./testing-http.ts";

/** `npm run bench` makes ten thousand (row "MCP"). */
const CALLS_EACH = 300;

type Era = "legacy" | "auto";
const ERAS: readonly Era[] = ["legacy", "auto"];

type Ground = {
  readonly archive: Archive;
  readonly server: DoorServer;
  readonly ids: Record<"mine" | "other", string>;
};

/** Two sessions, each with messages and an output that names it. */
const grounds = <T>(run: (ground: Ground) => Promise<T>): Promise<T> =>
  inArchive(async (archive) => {
    const ids = { mine: "", other: "" };
    for (const name of ["mine", "other"] as const) {
      ids[name] = (await createSession(archive, { id: name, title: `Session ${name}`, contextWindow: 100_000 })).id;
      await ingest(archive, ids[name], [
        { record: "event", body: { type: "user", text: `Question of ${name}` } },
        { record: "event", body: { type: "assistant", text: `Answer of ${name}` } },
      ]);
      const rows = JSON.stringify({ owner: name, rows: Array.from({ length: 400 }, (_, id) => ({ id })) });
      await storeArtifact(archive, { session: ids[name], name: "rows" }, Buffer.from(rows));
    }
    return withDoors(archive, (server) => run({ archive, server, ids }));
  });

const connected = <T>(server: DoorServer, token: string, era: Era, run: (client: Client) => Promise<T>): Promise<T> =>
  withMcp(`${server.url}/mcp`, token, run, era);

const tokenFor = async (archive: Archive, scope: "read" | "write", session: string | null = null): Promise<string> =>
  (await createToken(archive, { scope, session })).token;

const textOf = (result: { content: readonly { type: string }[] }): string =>
  (result.content[0] as unknown as { text: string }).text;

describe.each(ERAS)("a client (%s)", (era) => {
  test("lists tools with schemas and hints, and each answers as it does over HTTP", () =>
    grounds(async ({ archive, server, ids }) => {
      const token = await tokenFor(archive, "write", ids.mine);
      await connected(server, token, era, async (client) => {
        expect(client.getInstructions()).toContain("artifact_grep");
        const { tools } = await client.listTools();
        expect(tools.map(({ name }) => name)).toEqual([
          ...["artifact_store", "artifact_list", "artifact_read", "artifact_grep", "artifact_jq", "search_sessions"],
          ...["read_session", "why_full", "context_at", "compact_plan", "recall"],
        ]);
        for (const { name, annotations } of tools)
          expect([name, annotations?.readOnlyHint]).toEqual([name, name !== "artifact_store"]);
        const calls: [string, Record<string, unknown>][] = [
          ["artifact_read", { artifact_id: "rows" }],
          ["artifact_grep", { artifact_id: "rows", pattern: "owner" }],
          ["artifact_jq", { artifact_id: "rows", expression: ".rows | length" }],
          ["search_sessions", {}],
          ["read_session", {}],
          ["why_full", {}],
          ["context_at", {}],
          ["compact_plan", {}],
          ["recall", { query: "rows" }],
        ];
        for (const [name, args] of calls) {
          // The client holds structured content against the schema that was listed.
          const result = await client.callTool({ name, arguments: args });
          const direct = await runTool(archive, name, args, { session: ids.mine, who: "test" });
          expect([name, textOf(result), result.isError]).toEqual([name, direct.text, false]);
          if (direct.structured !== undefined) expect(result.structuredContent).toEqual(direct.structured);
        }
      });
    }));

  test("goes through resources page by page, and reads them", () =>
    grounds(async ({ archive, server, ids }) => {
      for (let i = 0; i < 120; i++)
        await storeArtifact(archive, { session: ids.mine, name: `n${i}` }, Buffer.from(`text ${i}`));
      await storeArtifact(archive, { session: ids.mine, name: "bytes" }, Buffer.from([0, 255, 1, 254]));
      const token = await tokenFor(archive, "read");
      await connected(server, token, era, async (client) => {
        const { resources } = await client.listResources();
        const uris = new Set(resources.map(({ uri }) => uri));
        // The client goes on by itself where it does; what is left is asked for here.
        let cursor = (await client.request({ method: "resources/list", params: {} })).nextCursor;
        while (cursor !== undefined) {
          const page = await client.request({ method: "resources/list", params: { cursor } });
          for (const { uri } of page.resources) uris.add(uri);
          cursor = page.nextCursor;
        }
        expect(uris.size).toBe(2 + 123);
        const session = await client.readResource({ uri: `plimsoll://sessions/${ids.mine}` });
        expect((session.contents[0] as { text: string }).text).toContain("Session mine");
        const [{ pointer }] = archive.sqlite.prepare("SELECT pointer FROM artifact_names WHERE name = 'n7'").all() as [
          { pointer: string },
        ];
        const text = await client.readResource({ uri: `plimsoll://artifacts/${pointer}` });
        expect(text.contents[0]).toMatchObject({ text: "text 7", mimeType: "text/plain" });
        const [bytes] = archive.sqlite
          .prepare("SELECT pointer FROM artifact_names WHERE name = 'bytes'")
          .pluck()
          .all() as [string];
        const blob = await client.readResource({ uri: `plimsoll://artifacts/${bytes}` });
        expect(blob.contents[0]).toMatchObject({ blob: Buffer.from([0, 255, 1, 254]).toString("base64") });
        expect((await client.listResourceTemplates()).resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual([
          "plimsoll://sessions/{session}",
          "plimsoll://artifacts/{artifact}",
        ]);
      });
    }));

  test("gets the prompt with the report inside", () =>
    grounds(async ({ archive, server, ids }) => {
      const token = await tokenFor(archive, "read");
      await connected(server, token, era, async (client) => {
        const { prompts } = await client.listPrompts();
        expect(prompts.map(({ name }) => name)).toEqual(["why_did_my_context_fill"]);
        const { messages } = await client.getPrompt({ name: prompts[0]!.name, arguments: { session: ids.other } });
        expect((messages[0]!.content as { text: string }).text).toContain("Session other");
      });
    }));

  test("is refused with words when it asks for what is not there, and goes on", () =>
    grounds(async ({ archive, server }) => {
      const token = await tokenFor(archive, "read");
      await connected(server, token, era, async (client) => {
        await expect(client.callTool({ name: "rm", arguments: {} })).rejects.toThrow('There is no tool "rm" here.');
        await expect(
          client.callTool({ name: "artifact_store", arguments: { name: "a", value: "b" } }),
        ).rejects.toThrow();
        for (const uri of ["plimsoll://sessions/s_0000", "plimsoll://artifacts/art:nothing", "file:///etc/passwd"])
          await expect(client.readResource({ uri })).rejects.toThrow(/[Nn]o /);
        for (const cursor of ["x", "artifacts:art:00000000-0000-4000-8000-000000000000"])
          await expect(client.request({ method: "resources/list", params: { cursor } })).rejects.toThrow("cursor");
        await expect(client.getPrompt({ name: "other" })).rejects.toThrow("There is no prompt");
        const wrong = await client.callTool({ name: "artifact_read", arguments: { artifact_id: 7 } });
        expect([wrong.isError, textOf(wrong)]).toEqual([true, expect.stringContaining("artifact_id") as string]);
        expect((await client.callTool({ name: "search_sessions", arguments: {} })).isError).toBe(false);
      });
    }));
});

test("what is stored without a session belongs to one that all such clients share", () =>
  grounds(async ({ archive, server }) => {
    await connected(server, await tokenFor(archive, "write"), "auto", async (client) => {
      for (const value of ["one", "two"])
        expect((await client.callTool({ name: "artifact_store", arguments: { name: value, value } })).isError).toBe(
          false,
        );
    });
    const rows = archive.sqlite
      .prepare("SELECT s.native_id, s.artifacts FROM sessions s WHERE s.native_id = 'plimsoll:mcp'")
      .all();
    expect(rows).toEqual([{ native_id: "plimsoll:mcp", artifacts: 2 }]);
  }));

test("a client that names a session in the address is about that one alone", () =>
  grounds(async ({ archive, server, ids }) => {
    const token = await tokenFor(archive, "write");
    await withMcp(`${server.url}/mcp?session=${ids.mine}`, token, async (client) => {
      const read = (artifact_id: string) => client.callTool({ name: "artifact_read", arguments: { artifact_id } });
      expect(textOf(await read("rows"))).toContain("mine");
      await client.callTool({ name: "artifact_store", arguments: { name: "kept", value: "here" } });
      expect((await client.callTool({ name: "read_session", arguments: { session: ids.other } })).isError).toBe(true);
    });
    await withMcp(`${server.url}/mcp?session=${ids.other}`, token, async (client) =>
      expect((await client.callTool({ name: "artifact_read", arguments: { artifact_id: "kept" } })).isError).toBe(true),
    );
    await expect(withMcp(`${server.url}/mcp?session=nothing`, token, (client) => client.listTools())).rejects.toThrow();
  }));

test("a larger artifact is no resource, and is told where it is read", () =>
  grounds(async ({ archive, server, ids }) => {
    const { pointer } = await storeArtifact(
      archive,
      { session: ids.mine },
      Buffer.alloc(LIMITS.readWholeBytes + 1, "x"),
    );
    await connected(server, await tokenFor(archive, "read"), "auto", async (client) => {
      await expect(client.readResource({ uri: `plimsoll://artifacts/${pointer}` })).rejects.toThrow("artifact_read");
    });
  }));

test("calls of two bound clients at once: each sees its own session alone", { timeout: 60_000 }, () =>
  grounds(async ({ archive, server, ids }) => {
    const secret = { mine: "Question of mine", other: "Question of other" };
    const clients = await Promise.all(
      (["mine", "other"] as const).map(async (name) => ({ name, token: await tokenFor(archive, "read", ids[name]) })),
    );
    const calls: readonly (readonly [string, object])[] = [
      ["artifact_read", { artifact_id: "rows", max_chars: 200 }],
      ["read_session", {}],
      ["search_sessions", {}],
      ["artifact_list", {}],
    ];
    await Promise.all(
      clients.map(({ name, token }) =>
        connected(server, token, "legacy", async (client) => {
          const foreign = name === "mine" ? "other" : "mine";
          let at = 0;
          const worker = async (): Promise<void> => {
            while (at < CALLS_EACH) {
              const [tool, args] = calls[at++ % calls.length]!;
              const text = JSON.stringify(await client.callTool({ name: tool, arguments: { ...args } }));
              expect(text).not.toContain(secret[foreign]);
              expect(text).not.toContain(ids[foreign]);
              expect(text).not.toContain(`\\"owner\\":\\"${foreign}`);
            }
          };
          await Promise.all(Array.from({ length: 10 }, worker));
          for (const input of [{ session: ids[foreign] }, { session: foreign }]) {
            const refused = await client.callTool({ name: "read_session", arguments: input });
            expect([refused.isError, textOf(refused)]).toEqual([
              true,
              expect.stringContaining("no such session") as string,
            ]);
          }
          await expect(client.readResource({ uri: `plimsoll://sessions/${ids[foreign]}` })).rejects.toThrow(
            "no such session",
          );
        }),
      ),
    );
  }),
);

test.each([
  ["no JSON", "{", 400],
  ["no frame", "{}", 400],
  ["an unknown version", '{"jsonrpc":"1.0","id":1,"method":"tools/list"}', 400],
  ["a number", "7", 400],
])("a malformed frame (%s) is answered as one, and the next is served", (_, body, status) =>
  grounds(async ({ archive, server }) => {
    const token = await tokenFor(archive, "read");
    const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
    const response = await server.ask("POST", "/mcp", { token, body, headers });
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ jsonrpc: "2.0", error: { code: expect.any(Number) as number } });
    await connected(server, token, "legacy", (client) => client.ping());
  }),
);

test("without a token nothing is answered; a stream of its own is not offered", () =>
  grounds(async ({ archive, server }) => {
    const frame = { jsonrpc: "2.0", id: 1, method: "tools/list" };
    expect((await server.ask("POST", "/mcp", { token: "wrong", json: frame })).status).toBe(401);
    const token = await tokenFor(archive, "read");
    expect((await server.ask("GET", "/mcp", { token })).status).toBe(405);
    const origin = { origin: "http://evil.example" };
    expect((await server.ask("POST", "/mcp", { token, json: frame, headers: origin })).status).toBe(403);
  }));
