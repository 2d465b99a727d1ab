// The end of a session on the command line and over HTTP: told before, confirmed, and refused for what was imported.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { createSession } from "#lib/archive/artifacts/create-session.ts";
import { readText } from "#lib/archive/artifacts/whole-text.ts";
import { storeArtifact } from "#lib/archive/artifacts/store-artifact.ts";
import type { Archive } from "#lib/archive/base/archive-type.ts";
import { importPaths } from "#lib/archive/import/import-paths.ts";
import { createToken } from "#lib/archive/settings/access-tokens.ts";
import { inArchive, inFolder, withArchive } from "#lib/archive/testing-archive.ts";
import { withDoors } from "#lib/http/testing-http.ts";
import { endAnswer, endPreviewAnswer } from "#lib/wire/retention-schema.ts";
import { entryOf } from "../scripts/bundle.mjs";

const program = entryOf("bin/plimsoll.ts");
const fixture = fileURLToPath(new URL("../lib/formats/fixtures/codex-synthetic-session.jsonl", import.meta.url));

/** A session with three artifacts, one of them named; its id. */
async function makeSession(archive: Archive, id = "run"): Promise<string> {
  const session = (await createSession(archive, { id })).id;
  await storeArtifact(archive, { session, name: "plan.md" }, Buffer.from("# Plan\n"));
  for (const text of ["tide", "wind"]) await storeArtifact(archive, { session, toolName: "bash" }, Buffer.from(text));
  return session;
}

test("on the command line it is looked at, then confirmed", { timeout: 120_000 }, () =>
  inFolder(async (base) => {
    const dir = join(base, "archive");
    const id = await withArchive(dir, (archive) => makeSession(archive));
    const plimsoll = (...words: string[]) =>
      spawnSync(process.execPath, [program, "end", ...words], {
        env: { PATH: process.env["PATH"] ?? "", HOME: base, PLIMSOLL_ARCHIVE: dir, NODE_ENV: "test" },
        encoding: "utf8",
      });
    expect(plimsoll("run").status).toBe(2);
    const looked = plimsoll("run", "--dry-run");
    expect([looked.status, looked.stderr]).toEqual([0, ""]);
    expect(looked.stdout).toMatch(new RegExp(`^Would delete 3 artifacts, 15 B, of session ${id}\n`));
    expect(looked.stdout).toMatch(/1 artifact with a name\n +7 B {2}plan\.md {2}art:/);
    const done = plimsoll("run", "--yes", "--json");
    expect(JSON.parse(done.stdout)).toEqual({ sessionId: id, removed: 3 });
    expect(endPreviewAnswer.parse(JSON.parse(plimsoll("run", "--dry-run", "--json").stdout)).artifacts).toBe(0);
  }),
);

test("the command that a server is handed ends the session too", () =>
  inArchive(async (archive) => {
    const id = await makeSession(archive);
    await withDoors(archive, async (server) => {
      const answer = await server.ask("POST", "/api/commands/end", { json: { session: "run" } });
      expect(await answer.json()).toEqual({ sessionId: id, removed: 3 });
    });
  }));

test("over HTTP a preview tells what goes, and only a token that manages may end a session", () =>
  inArchive(async (archive) => {
    const id = await makeSession(archive);
    const other = await makeSession(archive, "other");
    const writer = await createToken(archive, { name: "w", scope: "write", days: null });
    const bound = await createToken(archive, { name: "b", scope: "write", days: null, session: id });
    await withDoors(archive, async (server) => {
      const path = `/api/sessions/${id}/artifacts`;
      const preview = endPreviewAnswer.parse(await (await server.ask("GET", `${path}/delete-preview`)).json());
      // The other session has the same bytes: none are freed.
      expect(preview).toMatchObject({ artifacts: 3, sizeBytes: 15, freedBytes: 0, namedTotal: 1 });
      expect((await server.ask("DELETE", path, { token: writer.token })).status).toBe(403);
      expect((await server.ask("DELETE", path, { token: bound.token })).status).toBe(404);
      expect((await server.ask("GET", `${path}/delete-preview`, { token: bound.token })).status).toBe(404);
      expect(endAnswer.parse(await (await server.ask("DELETE", path)).json())).toEqual({ sessionId: id, removed: 3 });
      const gone = await server.ask("GET", `/api/artifacts/${encodeURIComponent(preview.named[0]!.pointer)}/raw`);
      expect(gone.status).toBe(410);
      expect((await server.ask("GET", `/api/sessions/${id}`)).status).toBe(200);
    });
    expect(await readText(archive, `${other}/plan.md`)).toBe("# Plan\n");
  }));

test("an imported session is refused, and keeps what it has", () =>
  inArchive(async (archive) => {
    const { files } = await importPaths(archive, [fixture]);
    const id = files[0]!.sessions[0]!;
    const live = () => archive.sqlite.prepare("SELECT count(*) FROM artifacts WHERE deleted_at IS NULL").pluck().get();
    const before = live();
    await withDoors(archive, async (server) => {
      for (const [method, path] of [
        ["DELETE", `/api/sessions/${id}/artifacts`],
        ["GET", `/api/sessions/${id}/artifacts/delete-preview`],
      ] as const) {
        const answer = await server.ask(method, path);
        expect(answer.status).toBe(409);
        expect(JSON.stringify(await answer.json())).toContain(
          `Session ${id} is not held by Plimsoll: it was imported and is read-only.`,
        );
      }
    });
    expect(live()).toBe(before);
  }));
