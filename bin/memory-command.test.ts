// Context, compaction, memory and recall on the command line: with the lock in hand, and through the server that holds it.
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import type { Archive } from "#lib/archive/base/archive-type.ts";
import { createSession } from "#lib/archive/artifacts/create-session.ts";
import { tellTurns } from "#lib/archive/memory/testing-run.ts";
import { inFolder, withArchive } from "#lib/archive/testing-archive.ts";
import { writeAddress } from "#lib/http/running-server.ts";
import { NONCE, withDoors } from "#lib/http/testing-http.ts";
import { compactAnswer, contextAnswer, memoryAnswer, undoAnswer } from "#lib/wire/memory-schema.ts";
import { recallAnswer } from "#lib/wire/recall-schema.ts";
import { systemHost } from "./system-host.ts";
import { entryOf } from "../scripts/bundle.mjs";

const program = entryOf("bin/plimsoll.ts");
const run = promisify(execFile);

type Said = { readonly code: number; readonly out: string; readonly err: string };
type Ask = (...words: string[]) => Promise<Said>;

const asking =
  (dir: string): Ask =>
  async (...words) => {
    const env = {
      PATH: process.env["PATH"],
      HOME: dir,
      PLIMSOLL_ARCHIVE: join(dir, "archive"),
      NODE_ENV: "test" as const,
    };
    try {
      const { stdout, stderr } = await run(process.execPath, [program, ...words], { env });
      return { code: 0, out: stdout, err: stderr };
    } catch (error) {
      const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
      return { code, out: stdout, err: stderr };
    }
  };

const fill = async (archive: Archive): Promise<void> => {
  const { id } = await createSession(archive, { id: "run", model: "claude-synthetic" });
  await tellTurns(archive, id, 6, 400);
};

const alone = (work: (ask: Ask) => Promise<void>): Promise<void> =>
  inFolder(async (dir) => {
    await withArchive(join(dir, "archive"), fill);
    await work(asking(dir));
  });

const besideServer = (work: (ask: Ask) => Promise<void>): Promise<void> =>
  inFolder((dir) =>
    withArchive(
      join(dir, "archive"),
      async (archive) => {
        await fill(archive);
        await withDoors(archive, async ({ port, credentials }) => {
          await writeAddress(archive.dir, { pid: process.pid, port, nonce: NONCE, token: credentials.bearer });
          await work(asking(dir));
        });
      },
      systemHost(),
    ),
  );

test.each([
  ["with the lock in hand", alone],
  ["through the server that holds the lock", besideServer],
])("a session is compacted and undone %s", { timeout: 120_000 }, (_, ground) =>
  ground(async (ask) => {
    const dry = compactAnswer.parse(
      JSON.parse((await ask("compact", "run", "--tail", "2", "--dry-run", "--json")).out),
    );
    expect(dry).toMatchObject({ status: "planned", id: null, turns: [1, 2, 3, 4], origin: "estimated" });
    const sparse = await ask("compact", "run", "--tail", "2", "--tool-events", "exclude", "--dry-run", "--json");
    expect(
      [dry.summary, compactAnswer.parse(JSON.parse(sparse.out)).summary].map((text) => text.includes("cat pier_")),
    ).toEqual([true, false]);
    const done = compactAnswer.parse(JSON.parse((await ask("compact", "run", "--tail", "2", "--json")).out));
    expect(done).toMatchObject({ status: "complete", tokensBefore: dry.tokensBefore, tokensAfter: dry.tokensAfter });
    expect(done.summary).toBe(dry.summary);
    const memory = memoryAnswer.parse(JSON.parse((await ask("memory", "run", "--json")).out));
    expect(memory.compactions).toMatchObject([{ id: done.id, status: "complete" }]);
    const undone = undoAnswer.parse(JSON.parse((await ask("undo", done.id!, "--json")).out));
    expect(undone).toMatchObject({ status: "undone", id: done.id });
    expect((await ask("undo", done.id!)).out).toBe(`Already undone: ${done.id} of session ${undone.sessionId}\n`);
    expect((await ask("undo", "cmp_0000000000000000")).code).toBe(1);
    const recalled = recallAnswer.parse(JSON.parse((await ask("recall", "run", "--query", "pier_3", "--json")).out));
    expect(recalled.items.length).toBeGreaterThan(0);
    const after = memoryAnswer.parse(JSON.parse((await ask("memory", "run", "--json")).out));
    expect(after.recalls).toMatchObject([{ query: "pier_3" }]);
  }),
);

test.each([
  ["with the lock in hand", alone],
  ["through the server that holds the lock", besideServer],
])("a summary is written to a file, edited, and taken from it %s", { timeout: 120_000 }, (_, ground) =>
  ground(async (ask) => {
    const dir = mkdtempSync(join(tmpdir(), "plimsoll-summary-"));
    try {
      const path = join(dir, "summary.md");
      const dry = compactAnswer.parse(
        JSON.parse((await ask("compact", "run", "--tail", "2", "--dry-run", "--out", path, "--json")).out),
      );
      const own = readFileSync(path, "utf8");
      expect(own).toBe(`${dry.summary}\n`);
      expect((await ask("compact", "run", "--tail", "2", "--dry-run", "--out", path)).code).toBe(1);
      const [head, first, ...rest] = own.trimEnd().split("\n");
      writeFileSync(path, `${[head, "Written by hand", ...rest].join("\r\n")}\n`);
      const done = compactAnswer.parse(
        JSON.parse((await ask("compact", "run", "--tail", "2", "--summary", path, "--json")).out),
      );
      expect(done.status).toBe("complete");
      expect(done.summary).toBe([head, "Written by hand", ...rest].join("\n"));
      expect(done.summary).not.toContain(first);
      // What the summarizer wrote keeps its events.
      expect(done.lines.filter(({ by }) => by === "person").map(({ text }) => text)).toEqual(["Written by hand"]);
      expect(done.lines.some(({ seqs }) => seqs.length > 0)).toBe(true);
      expect((await ask("undo", done.id!)).code).toBe(0);
      expect((await ask("compact", "run", "--summary", join(dir, "none.md"))).code).toBe(1);
      expect((await ask("compact", "run", "--summary", path, "--summarizer", "gpt-9")).code).toBe(2);
      expect((await ask("compact", "run", "--own")).out).toContain("The agent did not compact this session.");
    } finally {
      rmSync(dir, { recursive: true, force: true });
    }
  }),
);

test("what the commands print is for people, and wrong words are told", { timeout: 120_000 }, () =>
  alone(async (ask) => {
    const context = await ask("context", "run", "--at", "5");
    expect(context.out).toMatch(/^Context at event 4 \(|^Context at event 5/);
    expect(contextAnswer.parse(JSON.parse((await ask("context", "run", "--as", "anthropic", "--json")).out)).as).toBe(
      "anthropic",
    );
    const payload = await ask("context", "run", "--as", "anthropic", "--payload");
    expect(JSON.parse(payload.out)).toMatchObject({ system: expect.anything() });
    expect((await ask("compact", "run", "--tail", "9")).out).toMatch(/^Nothing to compact. The context has 6 turns/);
    const { out } = await ask("compact", "run", "--tail", "2");
    expect(out).toMatch(/^Compacted: events 2 to 17 \(turns 1–4\)/);
    // The page adds the system prompt and what no message holds; here are the messages alone, and it says so.
    expect(out.split("\n")[0]).toMatch(/, messages ~?[\d,]+ down to ~?[\d,]+ tokens$/);
    expect((await ask("memory", "run")).out).toMatch(/applied  complete +\d+  messages +~[\d,]+ +~[\d,]+ /);
    expect((await ask("recall", "run", "--query", "pier_3")).out).toContain("artifact_recall");
    for (const words of [
      ["context", "run", "--as", "fax"],
      ["context", "run", "--at", "0"],
      ["compact", "run", "--budget-chars", "5"],
      ["compact", "run", "--tail", "x"],
      ["compact", "run", "--tool-events", "some"],
      ["compact", "run", "--instructions", "In Danish"],
      ["session", "create", "sharp", "--compaction", "80"],
      ["session", "create", "sharp", "--compaction", '{"threshold_percent":40}'],
      ["recall", "run"],
      ["recall", "run", "--query", "x", "--k", "0"],
      ["compact", "run", "--summarizer", "gpt-9"],
    ])
      expect((await ask(...words)).code).toBe(2);
    for (const words of [
      ["context", "run", "--at", "999"],
      ["memory", "nobody"],
    ])
      expect((await ask(...words)).code).toBe(1);
  }),
);
