import { createHash } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, test } from "vitest";
import { policyOf } from "#lib/kernel/artifacts/offload-presets.ts";
import { BoundedToolExecutor } from "#lib/kernel/tools/bounded-tool-executor.ts";
import { TurnState } from "#lib/kernel/tools/turn-state.ts";
import { remoteBackend, remoteTools } from "./backends.ts";
import { nodeHost } from "./node-host.ts";
import { Plimsoll } from "./remote.ts";
import type { RemoteSession } from "./remote-session.ts";
import { withServer } from "./testing-server.ts";

const rows = {
  rows: Array.from({ length: 900 }, (_, i) => ({ id: i, name: `row ${i}`, level: i % 7 ? "info" : "error" })),
};

const inSession = (run: (session: RemoteSession, plimsoll: Plimsoll) => Promise<void>): Promise<void> =>
  withServer(async ({ url, tokens }) => {
    const plimsoll = new Plimsoll({ url, token: tokens.write });
    await run(await plimsoll.createSession({ id: "run-1", title: "A run", contextWindow: 200_000 }), plimsoll);
  });

describe("a running Plimsoll", () => {
  test("takes outputs, gives the text for the model, and lets it read, grep and query what it keeps", () =>
    inSession(async (session, plimsoll) => {
      expect((await plimsoll.createSession({ id: "run-1" })).id).toBe(session.id);
      const small = await session.recordOutput("two lines\nof text", { toolName: "bash", toolCallId: "c1", turn: 1 });
      expect(small).toMatchObject({ text: "two lines\nof text", artifact: null, decision: { action: "inline" } });

      const large = await session.recordOutput(rows, { toolName: "query", toolCallId: "c2", turn: 1 });
      expect(large.decision).toMatchObject({ action: "artifact", status: "ok", toolCallId: "c2" });
      const { artifact_id } = JSON.parse(large.text) as { artifact_id: string };
      expect(artifact_id).toBe(large.artifact!.artifactId);

      expect((await session.jqArtifact(artifact_id, ".rows | length")).text).toBe("900");
      expect((await session.grepArtifact(artifact_id, "row 42", ["-o"])).text).toMatch(/row 42/);
      const part = await session.readArtifact(artifact_id, { start_char: 0, max_chars: 9 });
      expect(part.text).toMatch(/^\{"rows":\[/);
      const listed = JSON.parse((await session.listArtifacts()).text) as { artifact_id: string }[];
      expect(listed.map((one) => one.artifact_id)).toEqual([artifact_id]);
      expect(await session.readArtifact("art_0000000000000000")).toMatchObject({
        isError: true,
        text: "[no artifact found for 'art_0000000000000000']",
      });
      expect(await new Response(await session.download(large.artifact!.pointer)).json()).toEqual(rows);
    }));

  test("stores bytes that come in pieces, and refuses those whose digest is another", () =>
    inSession(async (session) => {
      const piece = Buffer.alloc(100_000, "0123456789\n");
      const digest = createHash("sha256");
      const pieces = async function* () {
        for (let i = 0; i < 30; i++) {
          digest.update(piece);
          yield piece;
        }
      };
      const stored = await session.storeArtifact(pieces(), { name: "log", toolName: "bash", ttlSeconds: 60 });
      expect(stored).toMatchObject({ name: "log", sizeBytes: 3_000_000, digest: digest.digest("hex") });
      expect(stored.expiresAt).not.toBeNull();
      await expect(session.storeArtifact("abc", { digest: "0".repeat(64) })).rejects.toMatchObject({ code: "invalid" });
    }));

  test("tells what it knows of a session: events, context, load, compaction, memory, recall, export", () =>
    inSession(async (session, plimsoll) => {
      const usage = { inputUncached: 900, cacheRead: 0, cacheWrite: 0, output: 9, reasoning: 0, origin: "reported" };
      const said = (n: number) => [
        { record: "event", startsTurn: true, body: { type: "user", text: `Survey pier ${n}. Never close it.` } },
        { record: "call", key: `m${n}`, usage },
        { record: "event", body: { type: "assistant", text: `pier ${n} is sound\n`.repeat(90) } },
      ];
      for (const n of [1, 2, 3]) await session.addEvents(said(n));
      const log = `tide at noon\n${"calm water all day\n".repeat(900)}`;
      const { artifact } = await session.recordOutput(log, { toolName: "gauge", toolCallId: "c1" });

      expect((await plimsoll.sessions({ q: "A run" })).sessions.map(({ id }) => id)).toEqual([session.id]);
      expect(await session.summary()).toMatchObject({ id: session.id, title: "A run" });
      const page = await session.events({ type: "user", limit: 2 });
      expect(page.events.map(({ text }) => text)).toEqual([1, 2].map((n) => `Survey pier ${n}. Never close it.`));
      expect((await session.events({ from: page.next!, type: "user" })).events).toHaveLength(1);
      expect((await session.context({ as: "anthropic" })).payload.json).toContain("pier 3 is sound");
      expect((await session.load()).calls).toHaveLength(3);
      expect(Array.isArray(await session.culprits())).toBe(true);

      const plan = await session.compact({ tail: 1 });
      expect([plan.status, plan.turns]).toEqual(["planned", [1, 2]]);
      const done = await session.compact({ tail: 1, dryRun: false });
      expect([done.status, (await plimsoll.compaction(done.id!)).summary]).toEqual(["complete", done.summary]);
      expect((await session.compactions()).map(({ id }) => id)).toEqual([done.id]);
      expect((await plimsoll.undoCompaction(done.id!)).status).toBe("undone");

      const item = await session.changeMemory({ do: "add", kind: "semantic", text: "Pier 4 stays open." });
      await session.changeMemory({ do: "pin", id: item.id });
      expect((await session.memory()).items.find(({ id }) => id === item.id)).toMatchObject({ pinned: true });
      expect((await session.memoryHistory(item.id)).changes.map(({ did }) => did)).toHaveLength(2);
      expect((await session.recall("tide at noon")).items[0]!.pointer).toBe(artifact!.pointer);
      const lines = (await new Response(await session.export()).text()).trimEnd().split("\n");
      expect(JSON.parse(lines[0]!)).toMatchObject({ plimsoll: 1, id: "run-1" });
    }));

  test("drops what comes after its turn was closed", () =>
    inSession(async (session) => {
      expect(await session.closeTurn(3)).toEqual({ turn: 3, closed: true });
      const late = await session.recordOutput("late", { toolName: "bash", turn: 3 });
      expect(late).toMatchObject({ decision: { action: "drop", gate: "late" }, artifact: null, seq: null });
    }));

  test("is where an executor keeps large outputs, and where its model reads them back", () =>
    inSession(async (session, plimsoll) => {
      const reading = await remoteTools(plimsoll, session);
      expect(reading.map(({ name }) => name).toSorted()).toEqual([
        "artifact_grep",
        "artifact_jq",
        "artifact_list",
        "artifact_read",
      ]);
      expect(reading[0]!.parameters).toMatchObject({ type: "object", additionalProperties: false });
      const executor = new BoundedToolExecutor({
        tools: [{ name: "query", execute: () => rows }, ...reading],
        artifacts: remoteBackend(session, () => 1),
        host: nodeHost,
        policy: policyOf("plimsoll"),
      });
      const turn = new TurnState({ now: nodeHost.now });
      const call = (tool_name: string, args: unknown, call_id: string) =>
        executor.run({ call_id, tool_name, arguments: args }, turn);
      const { outcome, content } = await call("query", {}, "c1");
      expect(outcome.type).toBe("ToolArtifactReference");
      const { artifact_id } = JSON.parse(content) as { artifact_id: string };
      expect((await call("artifact_jq", { artifact_id, expression: ".rows[0].name" }, "c2")).content).toBe('"row 0"');
      const refused = await call("artifact_read", { artifact_id: "nothing" }, "c3");
      expect(refused).toMatchObject({ isError: true, content: "[no artifact found for 'nothing']" });

      turn.close_writes();
      expect((await call("query", { again: true }, "c4")).outcome).toMatchObject({
        type: "ToolDenied",
        reason: "deadline",
      });
      expect(JSON.parse((await session.listArtifacts()).text)).toHaveLength(1);
    }));

  test("that takes nothing lets the executor cut the output, and no pointer is shown", () =>
    withServer(async ({ url, tokens }) => {
      const { id } = await new Plimsoll({ url, token: tokens.write }).createSession();
      const executor = new BoundedToolExecutor({
        tools: [{ name: "query", execute: () => rows }],
        availableTools: ["query", "artifact_read"],
        artifacts: remoteBackend(new Plimsoll({ url, token: tokens.read }).session(id)),
        host: nodeHost,
      });
      const call = { call_id: "c1", tool_name: "query", arguments: {} };
      const { decision, content } = await executor.run(call, new TurnState({ now: nodeHost.now }));
      expect(decision).toMatchObject({ action: "truncate", status: "failed" });
      expect(content).toMatch(/was not stored/);
      expect(content).not.toMatch(/art[:_]/);
    }));

  test("keeps nothing of an output whose turn is closed while it is sent", () =>
    inSession(async (session) => {
      let request = 0;
      const bytes = new TextEncoder().encode("x".repeat(2_000_000));
      const facts = { contentType: "text/plain" } as never;
      const output = {
        text: "",
        bytes,
        name: "n",
        toolName: "t",
        callId: "c",
        facts,
        previewChars: 9,
        ttlSeconds: null,
      };
      const stored = await remoteBackend(session).store(output, () => ++request < 4);
      expect(stored).toEqual({ status: "failed", reason: "the turn was closed" });
      expect((await session.listArtifacts()).text).toBe("[]");
    }));
});

describe("what goes wrong", () => {
  /** A server that answers everything alike. */
  async function answering<T>(
    status: number,
    body: string,
    run: (url: string, seen: string[]) => Promise<T>,
  ): Promise<T> {
    const seen: string[] = [];
    const server = createServer((request, response) => {
      seen.push(request.url ?? "");
      request.resume();
      if (status === 0) return;
      response.writeHead(status, { location: "/elsewhere" }).end(body);
    }).listen(0, "127.0.0.1");
    await new Promise((done) => server.once("listening", done));
    try {
      return await run(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  }
  const ask = (url: string, timeoutMs = 5000) => new Plimsoll({ url, token: "t", timeoutMs }).createSession();

  test.each([
    ["its code", 404, '{"error":{"code":"not_found","message":"No session."}}', "not_found", "No session."],
    ["its code whatever its status", 500, '{"error":{"code":"timeout","message":"Too slow."}}', "timeout", "Too slow."],
    [
      "its status where the code is another",
      410,
      '{"error":{"code":"artifact_gone","message":"Gone."}}',
      "not_found",
      "Gone.",
    ],
    ["its status where nothing is said", 413, "", "too_large", "Plimsoll answered 413."],
  ])("a refusal is an AppError by %s", async (_, status, body, code, message) => {
    await answering(status, body, (url) => expect(ask(url)).rejects.toMatchObject({ code, message }));
  });

  test("a bug of the server stays a bug, and an answer of another program is told as such", async () => {
    await answering(500, '{"error":{"code":"bug","message":"Something failed."}}', async (url) => {
      const error = (await ask(url).catch((thrown: unknown) => thrown)) as Error;
      expect([error.name, error.message, "code" in error]).toEqual(["Error", "Something failed.", false]);
    });
    await answering(200, "<html>", (url) => expect(ask(url)).rejects.toMatchObject({ code: "unsupported" }));
  });

  test("a redirect is not followed: the token goes nowhere else", async () => {
    await answering(307, "", async (url, seen) => {
      await expect(ask(url)).rejects.toMatchObject({ code: "not_found" });
      expect(seen).toEqual(["/api/sessions"]);
    });
  });

  test("nobody there, and nobody who answers, are told apart", async () => {
    await expect(ask("http://127.0.0.1:9")).rejects.toMatchObject({
      code: "not_found",
      message: expect.stringMatching(/^No Plimsoll answers at http:\/\/127\.0\.0\.1:9/),
    });
    await answering(0, "", (url) => expect(ask(url, 50)).rejects.toMatchObject({ code: "timeout" }));
  });

  test.each(["http://example.com", "ftp://127.0.0.1", "not an address"])("a token is not sent to %s", (url) => {
    expect(() => new Plimsoll({ url, token: "t" })).toThrow(/address|https/);
    expect(() => new Plimsoll({ url: "https://example.com", token: "t" })).not.toThrow();
  });
});
