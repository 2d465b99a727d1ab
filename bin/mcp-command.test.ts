// `plimsoll mcp` with the official client: what it offers, beside a running server and without one, and that it ends with its
// client.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { describe, expect, test } from "vitest";
import { createSession } from "#lib/archive/artifacts/create-session.ts";
import { storeArtifact } from "#lib/archive/artifacts/store-artifact.ts";
import { ingest } from "#lib/archive/memory/ingest-records.ts";
import { inFolder, withArchive } from "#lib/archive/testing-archive.ts";
import { entryOf } from "../scripts/bundle.mjs";

const program = entryOf("bin/plimsoll.ts");
const envOf = (base: string) => ({
  PATH: process.env["PATH"] ?? "",
  HOME: base,
  PLIMSOLL_ARCHIVE: join(base, "archive"),
  NODE_ENV: "test" as const,
});

/** An archive with two sessions, and nobody who holds it. */
const inHarbour = (run: (base: string, ids: readonly string[]) => Promise<void>): Promise<void> =>
  inFolder(async (base) => {
    const ids: string[] = [];
    await withArchive(join(base, "archive"), async (archive) => {
      for (const name of ["mine", "other"]) {
        const { id } = await createSession(archive, { id: name, title: `Session ${name}` });
        ids.push(id);
        await ingest(archive, id, [{ record: "event", body: { type: "user", text: `Question of ${name}` } }]);
        await storeArtifact(archive, { session: id, name: "log" }, Buffer.from(`line of ${name}\n`.repeat(900)));
      }
    });
    await run(base, ids);
  });

async function connected<T>(base: string, words: readonly string[], run: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode: "auto" } });
  const args = [program, "mcp", ...words];
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args, env: envOf(base), stderr: "ignore" }),
  );
  try {
    return await run(client);
  } finally {
    await client.close();
  }
}

const textOf = (result: { content: readonly { type: string }[] }): string =>
  (result.content[0] as unknown as { text: string }).text;

describe("over standard input and output", { timeout: 60_000 }, () => {
  test("an agent greps, reads, stores, and asks why a context filled", () =>
    inHarbour((base, [mine]) =>
      connected(base, [], async (client) => {
        const grep = { artifact_id: "plimsoll:mine/log", pattern: "line", grep_options: ["-c"] };
        expect(textOf(await client.callTool({ name: "artifact_grep", arguments: grep }))).toContain("900");
        expect(textOf(await client.callTool({ name: "why_full", arguments: { session: mine } }))).toContain(
          "Session mine",
        );
        const stored = await client.callTool({ name: "artifact_store", arguments: { name: "note", value: "kept" } });
        const { pointer } = JSON.parse(textOf(stored)) as { pointer: string };
        const read = await client.callTool({ name: "artifact_read", arguments: { artifact_id: pointer } });
        expect(textOf(read)).toBe("kept");
        expect((await client.listResources()).resources.length).toBeGreaterThanOrEqual(5);
      }),
    ));

  test("--session shows that session alone, and --read-only offers nothing that stores", () =>
    inHarbour((base, [, other]) =>
      connected(base, ["--session", "mine", "--read-only"], async (client) => {
        expect((await client.listTools()).tools.map(({ name }) => name)).not.toContain("artifact_store");
        const own = await client.callTool({ name: "read_session", arguments: {} });
        expect(textOf(own)).toContain("Question of mine");
        const foreign = await client.callTool({ name: "read_session", arguments: { session: other } });
        expect([foreign.isError, textOf(foreign)]).toEqual([
          true,
          expect.stringContaining("no such session") as string,
        ]);
      }),
    ));

  test("where an open archive is held by another, what is stored is refused with words, and reading goes on", () =>
    inHarbour((base) =>
      withArchive(join(base, "archive"), () =>
        connected(base, [], async (client) => {
          await expect(
            client.callTool({ name: "artifact_store", arguments: { name: "note", value: "kept" } }),
          ).rejects.toThrow();
          const read = await client.callTool({
            name: "artifact_read",
            arguments: { artifact_id: "plimsoll:other/log" },
          });
          expect(textOf(read)).toContain("line of other");
        }),
      ),
    ));

  test("without an archive it makes one, and says that nothing is in it", () =>
    inFolder((base) =>
      connected(base, [], async (client) => {
        const found = await client.callTool({ name: "search_sessions", arguments: {} });
        expect(found.structuredContent).toMatchObject({ total: 0 });
        const latest = await client.callTool({ name: "why_full", arguments: {} });
        expect([latest.isError, textOf(latest)]).toEqual([true, expect.stringContaining("no sessions yet") as string]);
      }),
    ));

  test("nonsense on its input is no end of it, and the end of its input is", () =>
    inHarbour(async (base) => {
      const child = spawn(process.execPath, [program, "mcp"], { env: envOf(base), stdio: ["pipe", "pipe", "ignore"] });
      let out = "";
      child.stdout.on("data", (piece) => (out += String(piece)));
      const frame = (id: number, method: string, params: object) =>
        `${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`;
      const init = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "raw", version: "1" } };
      child.stdin.write(`{\nnot json\n${frame(1, "initialize", init)}`);
      child.stdin.write(frame(2, "tools/list", {}));
      const deadline = Date.now() + 30_000;
      while (!out.includes('"id":2') && Date.now() < deadline) await new Promise((resume) => setTimeout(resume, 20));
      const lines = out
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as { id?: number; result?: object });
      expect(lines.find(({ id }) => id === 2)?.result).toHaveProperty("tools");
      child.stdin.end();
      const [code] = (await once(child, "exit")) as [number];
      expect(code).toBe(0);
    }));
});
