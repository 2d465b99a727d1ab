// plimsoll findings in an archive that no server has opened: what waits is worked out before the answer, or said.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { wasteful } from "#lib/archive/load/testing-wasteful.ts";
import { inFolder, put, withArchive } from "#lib/archive/testing-archive.ts";
import { entryOf } from "../scripts/bundle.mjs";
import { systemHost } from "./system-host.ts";

function run(dir: string, ...words: string[]): { status: number | null; out: string; err: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [entryOf("bin/plimsoll.ts"), ...words], {
    encoding: "utf8",
    env: { ...process.env, HOME: join(dir, "home"), PLIMSOLL_ARCHIVE: join(dir, "archive"), PLIMSOLL_SOURCES: dir },
  });
  return { status, out: stdout, err: stderr };
}

test("findings of sessions that no server looked at are worked out first; beside one that writes, they wait", () =>
  inFolder(async (dir) => {
    put(
      dir,
      "logs/a.jsonl",
      wasteful("a", 1)
        .map((record) => `${JSON.stringify(record)}\n`)
        .join(""),
    );
    expect(run(dir, "import", join(dir, "logs")).status).toBe(0);
    await withArchive(
      join(dir, "archive"),
      async () =>
        expect(run(dir, "findings")).toEqual({
          status: 0,
          out: "No findings. 1 session not analysed yet.\n",
          err: "",
        }),
      systemHost(),
    );
    const { status, out, err } = run(dir, "findings");
    expect([status, err]).toEqual([0, ""]);
    expect(out).toContain("Read /home/ada/harbour/src/server.ts");
    expect(out).toMatch(/^1 finding: ~\$0\.\d\d avoidable\.$/m);
    const { findings } = JSON.parse(run(dir, "findings", "--json").out) as { findings: { id: string }[] };
    expect(run(dir, "findings", findings[0]!.id).out).toMatch(/ avoidable in 1 session\.$/m);
    expect(JSON.parse(run(dir, "findings", "--json").out)).toMatchObject({ waiting: 0 });
  }));
