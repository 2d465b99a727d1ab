// The requests of a session on the command line.
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { importCompacted, importSent } from "#lib/archive/memory/testing-sent.ts";
import { inFolder, withArchive } from "#lib/archive/testing-archive.ts";
import { requestsAnswer } from "#lib/wire/sent-request-schema.ts";
import { entryOf } from "../scripts/bundle.mjs";

const program = entryOf("bin/plimsoll.ts");
const run = promisify(execFile);

test("requests are listed, and each is printed by its call or its id", { timeout: 60_000 }, () =>
  inFolder(async (dir) => {
    let id = "";
    await withArchive(join(dir, "archive"), async (archive) => {
      id = await importSent(archive, dir);
    });
    const env = {
      PATH: process.env["PATH"],
      HOME: dir,
      PLIMSOLL_ARCHIVE: join(dir, "archive"),
      NODE_ENV: "test" as const,
    };
    const ask = async (...words: string[]): Promise<{ out: string; err: string; code: number }> => {
      try {
        const { stdout, stderr } = await run(process.execPath, [program, ...words], { env });
        return { out: stdout, err: stderr, code: 0 };
      } catch (error) {
        const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
        return { out: stdout, err: stderr, code };
      }
    };
    const list = await ask("requests", id);
    expect(list.out).toMatch(/req-2 .* 2 .*claude-opus-5-5.*conversation .*4 .*4/);
    expect(list.out).toContain("3 requests, 1 without a call.");
    const json = requestsAnswer.parse(JSON.parse((await ask("requests", id, "--json")).out));
    expect(json.requests.map(({ requestId, call }) => [requestId, call])).toEqual([
      ["req-1", 1],
      ["req-2", 2],
      ["req-3", null],
    ]);
    const later = await ask("requests", id, "--from", String(json.requests[2]!.seq), "--json");
    expect(requestsAnswer.parse(JSON.parse(later.out)).requests).toHaveLength(1);
    const byCall = await ask("request", id, "--call", "2");
    expect(JSON.parse(byCall.out)).toMatchObject({ model: "claude-opus-5-5", max_tokens: 1000 });
    expect((await ask("request", id, "--request", "req-2")).out).toBe(byCall.out);
    const own = await ask("request", id, "--request", "req-3");
    expect([JSON.parse(own.out).messages.length, own.err]).toEqual([
      5,
      expect.stringContaining("5 of 5 messages verified"),
    ]);
    expect(await ask("request", id, "--request", "req-9")).toMatchObject({
      code: 1,
      err: expect.stringContaining('No request "req-9" in this session.'),
    });
    for (const words of [[], ["--call", "2", "--request", "req-2"]])
      expect((await ask("request", id, ...words)).code).toBe(2);
  }),
);

test("a compaction whose own request is in no record has a row that says so", { timeout: 60_000 }, () =>
  inFolder(async (dir) => {
    const printed = async (name: string, hasRequests: boolean): Promise<string> => {
      const home = join(dir, name);
      let id = "";
      await withArchive(join(home, "archive"), async (archive) => {
        id = await importCompacted(archive, join(home, "logs"), hasRequests);
      });
      const env = { PATH: process.env["PATH"], HOME: home, PLIMSOLL_ARCHIVE: join(home, "archive"), NODE_ENV: "test" };
      return (await run(process.execPath, [program, "requests", id], { env: env as NodeJS.ProcessEnv })).stdout;
    };
    const list = await printed("with", true);
    expect(list).toMatch(/^– .* compaction .*not in the file/m);
    expect(list).toContain("Not in the file: the requests of 1 of 2 compactions.");
    const bare = await printed("without", false);
    expect(bare).toContain("This session's file does not hold the requests that were sent.");
    expect(bare).toContain("Not in the file: the requests of 2 of 2 compactions.");
  }),
);
