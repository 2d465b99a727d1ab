// A memory folder attached on the command line, and compacted and undone by the commands that sessions have.
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { filesIn, makeFolder } from "#lib/archive/memory/testing-directories.ts";
import { inFolder, withArchive } from "#lib/archive/testing-archive.ts";
import { withDoors } from "#lib/http/testing-http.ts";
import { attachedAnswer } from "#lib/wire/attached-schema.ts";
import { compactAnswer } from "#lib/wire/memory-schema.ts";
import { entryOf } from "../scripts/bundle.mjs";

const program = entryOf("bin/plimsoll.ts");
const run = promisify(execFile);

test("attach, compact and undo work on the folder itself", { timeout: 120_000 }, () =>
  inFolder(async (dir) => {
    const path = join(dir, "agents", "made-up");
    makeFolder(path, 12);
    const before = filesIn(path);
    const env = {
      PATH: process.env["PATH"],
      HOME: dir,
      PLIMSOLL_ARCHIVE: join(dir, "archive"),
      NODE_ENV: "test" as const,
    };
    const ask = async (...words: string[]): Promise<string> =>
      (await run(process.execPath, [program, ...words], { env })).stdout;
    expect(await ask("attach", path)).toMatch(
      /^Attached .* of generation 2: session s_[0-9a-f]{16} \(autobyteus:made-up\)/,
    );
    expect(attachedAnswer.parse(JSON.parse(await ask("attach", path, "--json")))).toMatchObject({ created: false });
    const done = compactAnswer.parse(JSON.parse(await ask("compact", "made-up", "--tail", "2", "--json")));
    expect(done).toMatchObject({ status: "complete", kind: "applied" });
    expect(filesIn(path)).not.toEqual(before);
    await ask("undo", done.id!);
    expect(filesIn(path)).toEqual(before);
    await expect(ask("attach", join(dir, "agents"))).rejects.toMatchObject({
      code: 2,
      stderr: expect.stringContaining("has no Autobyteus memory files"),
    });
  }),
);

test("the server attaches for a command line that finds the archive in its hands", () =>
  inFolder((dir) =>
    withArchive(join(dir, "archive"), async (archive) => {
      const path = join(dir, "agents", "made-up");
      makeFolder(path, 2);
      const answer = await withDoors(archive, async (server) =>
        attachedAnswer.parse(await (await server.ask("POST", "/api/commands/attach", { json: { path } })).json()),
      );
      expect(answer).toMatchObject({ created: true, nativeId: "autobyteus:made-up" });
    }),
  ));
