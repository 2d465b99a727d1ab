// Dollars that an older release worked out, or had no price for: the next import has those of today's table.
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Archive } from "#lib/archive/base/archive-type.ts";
import { inFolder, withArchive } from "#lib/archive/testing-archive.ts";
import { entryOf } from "../scripts/bundle.mjs";

const SESSION = "00000000-0000-4000-8000-0000000000aa";
const program = entryOf("bin/plimsoll.ts");

test("a model that had no price when it was read has one at the next import", () =>
  inFolder(async (dir) => {
    const logs = join(dir, "logs");
    mkdirSync(logs);
    const line = (type: string, n: number, message: object) =>
      JSON.stringify({
        ...{ type, uuid: `00000000-0000-4000-8000-00000000000${n}`, parentUuid: null, sessionId: SESSION },
        ...{ timestamp: `2026-11-28T09:00:0${n}.000Z`, version: "2.1.0", cwd: "/home/ada", message },
      });
    const usage = {
      input_tokens: 1000,
      cache_read_input_tokens: 0,
      cache_creation_input_tokens: 0,
      output_tokens: 200,
    };
    const said = { role: "assistant", content: [{ type: "text", text: "Seven." }], stop_reason: "end_turn" };
    const lines = [
      line("user", 1, { role: "user", content: "How many corals?" }),
      line("assistant", 2, { id: "msg_1", type: "message", model: "claude-haiku-5-5", ...said, usage }),
    ];
    writeFileSync(join(logs, "a.jsonl"), `${lines.join("\n")}\n`);
    const importing = () => {
      const words = [program, "import", logs, "--archive", join(dir, "archive")];
      const { status, stderr } = spawnSync(process.execPath, words, {
        env: { PATH: process.env["PATH"], HOME: dir, NODE_ENV: "test" as const },
        encoding: "utf8",
      });
      expect(status, stderr).toBe(0);
    };
    const inStore = <T>(ask: (archive: Archive) => T): Promise<T> =>
      withArchive(join(dir, "archive"), (archive) => Promise.resolve(ask(archive)));
    const usd = () => inStore(({ sqlite }) => sqlite.prepare("SELECT usd FROM sessions").pluck().get());
    importing();
    // 1,000 tokens at $0.10 a million, 200 at $0.50.
    expect(await usd()).toBeCloseTo(0.0002, 12);
    const forget = "UPDATE model_calls SET usd = NULL; UPDATE sessions SET usd = NULL";
    await inStore(({ sqlite }) => sqlite.exec(forget));
    importing();
    // The table is that of the last import: nothing is worked out anew.
    expect(await usd()).toBeNull();
    await inStore(({ sqlite }) => sqlite.exec("UPDATE settings SET value = '{}' WHERE key = 'models.prices'"));
    importing();
    expect(await usd()).toBeCloseTo(0.0002, 12);
  }));
