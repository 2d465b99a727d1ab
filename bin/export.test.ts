// A session leaves over the library, HTTP and the command line as the same bytes, and an empty archive shows it again.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createSession } from "#lib/archive/artifacts/create-session.ts";
import { recordOutput } from "#lib/archive/artifacts/record-output.ts";
import { storeArtifact } from "#lib/archive/artifacts/store-artifact.ts";
import type { Archive } from "#lib/archive/base/archive-type.ts";
import { ingest } from "#lib/archive/memory/ingest-records.ts";
import { exportSession } from "#lib/archive/sessions/export-session.ts";
import { listEvents } from "#lib/archive/sessions/list-events.ts";
import { createToken } from "#lib/archive/settings/access-tokens.ts";
import { inFolder, withArchive } from "#lib/archive/testing-archive.ts";
import { withDoors } from "#lib/http/testing-http.ts";
import { entryOf } from "../scripts/bundle.mjs";

const program = entryOf("bin/plimsoll.ts");
const OUTPUT = "tide 3.1 m, 潮\n".repeat(20_000);

const USAGE = { inputUncached: 9, cacheRead: 0, cacheWrite: 0, output: 3, reasoning: 0, origin: "reported" };

const plimsoll = (base: string, archive: string, ...words: string[]) =>
  spawnSync(process.execPath, [program, ...words], {
    env: { PATH: process.env["PATH"] ?? "", HOME: base, PLIMSOLL_ARCHIVE: join(base, archive), NODE_ENV: "test" },
    encoding: "utf8",
  });

/** A session with an offloaded output, so that its bytes stand in a blob. */
async function makeSession(archive: Archive): Promise<string> {
  const { id } = await createSession(archive, { id: "run", title: "Tides" });
  await ingest(archive, id, [
    { record: "event", startsTurn: true, body: { type: "user", text: "How high is the tide?" } },
  ]);
  await recordOutput(archive, { session: id, toolName: "bash", toolCallId: "c1", isError: false }, Buffer.from(OUTPUT));
  await ingest(archive, id, [{ record: "event", body: { type: "assistant", text: "3.1 m." } }]);
  return id;
}

const inHarbour = (run: (base: string, archive: Archive, id: string) => Promise<void>): Promise<void> =>
  inFolder((base) =>
    withArchive(join(base, "archive"), async (archive) => run(base, archive, await makeSession(archive))),
  );

const shown = async (archive: Archive, id: string) =>
  (await listEvents(archive, id, { from: 1, limit: 100 })).events.map(({ seq, type, text }) => ({ seq, type, text }));

describe("a session", { timeout: 60_000 }, () => {
  test("is exported over HTTP and on the command line as the same bytes", () =>
    inHarbour(async (base, archive, id) => {
      const command = plimsoll(base, "archive", "export", "run");
      expect([command.status, command.stderr]).toEqual([0, ""]);
      expect(command.stdout).toContain(JSON.stringify(OUTPUT));
      expect(plimsoll(base, "archive", "export", id, "--out", join(base, "run.jsonl")).status).toBe(0);
      expect(readFileSync(join(base, "run.jsonl"), "utf8") === command.stdout).toBe(true);
      expect(statSync(join(base, "run.jsonl")).mode & 0o777).toBe(0o600);
      await withDoors(archive, async (server) => {
        const answer = await server.ask("GET", `/api/sessions/${id}/export`);
        expect(answer.headers.get("content-disposition")).toContain(`attachment; filename="${id}.plimsoll.jsonl"`);
        expect((await answer.text()) === command.stdout).toBe(true);
        const head = await server.ask("HEAD", `/api/sessions/${id}/export`);
        expect([head.status, await head.text()]).toEqual([200, ""]);
      });
    }));

  test("is shown by an empty archive that imports it, and leaves that one as the same bytes", () =>
    inHarbour(async (base, archive, id) => {
      const file = join(base, "run.plimsoll.jsonl");
      expect(plimsoll(base, "archive", "export", "run", "--out", file).status).toBe(0);
      expect(plimsoll(base, "second", "import", file).status).toBe(0);
      const again = plimsoll(base, "second", "export", "run");
      expect(again.stdout === readFileSync(file, "utf8")).toBe(true);
      await withArchive(join(base, "second"), async (second) =>
        expect(await shown(second, id)).toEqual(await shown(archive, id)),
      );
    }));

  test.each([
    ["autobyteus", 2],
    ["autobyteus-1", 1],
  ] as const)("is exported as a memory folder, %s, with outputs as the model saw them", (as, generation) =>
    inHarbour(async (base) => {
      const to = join(base, "agent");
      const command = plimsoll(base, "archive", "export", "run", "--as", as, "--out", to);
      expect([command.status, command.stderr]).toEqual([0, ""]);
      const traces = readFileSync(join(to, "raw_traces.jsonl"), "utf8").trim().split("\n");
      expect(traces.map((line) => (JSON.parse(line) as { trace_type: string }).trace_type)).toEqual([
        ...["user", "tool_call", "tool_result"],
        ...(generation === 2 ? ["tool_continuation"] : []),
        "assistant",
      ]);
      expect(plimsoll(base, "archive", "export", "run", "--as", as, "--out", to).stderr).toContain("is not empty");
      expect(plimsoll(base, "archive", "export", "run", "--as", "word", "--out", to).status).toBe(2);
    }),
  );

  test("is told what of it fits a window", () =>
    inHarbour(async (base) => {
      const fitted = (window: string) =>
        JSON.parse(plimsoll(base, "archive", "context", "run", "--fit", window, "--json").stdout).fit as unknown;
      expect(fitted("200000")).toMatchObject({ reason: "under-budget", keepFrom: 0 });
      expect(fitted("1000")).toMatchObject({ reason: "invalid-budget" });
      expect(plimsoll(base, "archive", "context", "run", "--fit", "200000").stdout).toContain("all of it fits");
    }));

  test("is exported as it was when it was asked for, although events come meanwhile", () =>
    inHarbour(async (_base, archive, id) => {
      const before = await Array.fromAsync(exportSession(archive, id));
      const during: string[] = [];
      for await (const line of exportSession(archive, id)) {
        if (during.push(line) === 1)
          await ingest(archive, id, [
            { record: "call", key: "late", usage: USAGE },
            { record: "event", call: "late", body: { type: "assistant", text: "Late." } },
          ]);
      }
      expect(during).toEqual(before);
    }));

  test("is not exported to a token of another session, nor under a name that is not there", () =>
    inHarbour(async (base, archive, id) => {
      await createSession(archive, { id: "other" });
      const own = await createToken(archive, { name: "own", scope: "read", days: null, session: id });
      const other = await createToken(archive, {
        name: "other",
        scope: "write",
        days: null,
        session: "plimsoll:other",
      });
      await withDoors(archive, async (server) => {
        const request = async (path: string, token?: string) =>
          (await server.ask("GET", path, token === undefined ? {} : { token })).status;
        expect(await request(`/api/sessions/${id}/export`, own.token)).toBe(200);
        expect(await request(`/api/sessions/${id}/export`, other.token)).toBe(404);
        expect(await request(`/api/sessions/${id}/export`, "nothing")).toBe(401);
        expect(await request("/api/sessions/s_ffffffffffffffff/export")).toBe(404);
        expect(await request("/api/sessions/x/export")).toBe(404);
      });
      expect(plimsoll(base, "archive", "export", "nowhere").status).toBe(1);
    }));
});

test(
  "a file that exists is not overwritten, and nothing is left of one that could not be written",
  { timeout: 60_000 },
  () =>
    inHarbour(async (base, archive, id) => {
      const file = join(base, "mine.txt");
      writeFileSync(file, "mine");
      const refused = plimsoll(base, "archive", "export", "run", "--out", file);
      expect([refused.status, refused.stderr]).toEqual([
        1,
        `Could not write ${file}: the file exists. Choose another --out.\n`,
      ]);
      expect(readFileSync(file, "utf8")).toBe("mine");
      expect(plimsoll(base, "archive", "export", "run", "--out", join(base, "no", "file")).stderr).toContain(
        "its folder does not exist",
      );
      mkdirSync(join(base, "full"));
      // The bytes of an output are gone: the export fails on its way, and no half of it stays.
      const { pointer } = await storeArtifact(archive, { session: id, name: "late" }, Buffer.from("x".repeat(9000)));
      const digest = archive.sqlite
        .prepare("SELECT digest FROM artifacts WHERE seq IS NOT NULL")
        .pluck()
        .get() as string;
      await archive.blobs.remove(digest);
      expect(pointer).toMatch(/^art:/);
      const half = join(base, "full", "half.jsonl");
      expect(plimsoll(base, "archive", "export", "run", "--out", half).status).toBe(1);
      expect(existsSync(half)).toBe(false);
      expect(plimsoll(base, "archive", "export", "run", "--json").status).toBe(2);
    }),
);
