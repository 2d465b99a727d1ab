// Warnings of load: from a file that grows to what every open page hears.
import { expect, test, vi } from "vitest";
import { importPaths } from "#lib/archive/import/import-paths.ts";
import { saveWarnAt } from "#lib/archive/settings/warn-setting.ts";
import { put, testHost, withRecords } from "#lib/archive/testing-archive.ts";
import type { Change } from "#lib/wire/sources-schema.ts";
import { createChanges } from "./changes.ts";
import { warnOfLoad } from "./load-warnings.ts";

const SESSION = "00000000-0000-4000-8000-00000000057b";

/** An answer of Claude Code (synthetic) that was sent so many tokens, of a line of 167,000. */
const answer = (at: number, tokens: number): object => ({
  type: "assistant",
  uuid: `00000000-0000-4000-8000-0000000000${10 + at}`,
  parentUuid: null,
  sessionId: SESSION,
  isSidechain: false,
  userType: "external",
  version: "2.1.219",
  timestamp: new Date(Date.UTC(2026, 0, 5, 9, 0, at)).toISOString(),
  message: {
    id: `msg_${at}`,
    role: "assistant",
    model: "claude-opus-5",
    content: [{ type: "text", text: "On." }],
    stop_reason: "end_turn",
    usage: { input_tokens: tokens, output_tokens: 5 },
  },
});

test("each rise over the share that was chosen is said once, of sessions that run alone", () =>
  withRecords(
    { "a.jsonl": [answer(1, 100_000)] },
    async (archive, dir) => {
      const changes = createChanges("t");
      const heard: Change[] = [];
      changes.subscribe(null, (_, change) => change.type === "warning" && heard.push(change));
      const end = warnOfLoad(archive, changes, 5);
      const records = [answer(1, 100_000)];
      const grow = async (tokens: number): Promise<number> => {
        records.push(answer(records.length + 1, tokens));
        await importPaths(archive, [
          put(dir, "logs/a.jsonl", records.map((one) => `${JSON.stringify(one)}\n`).join("")),
        ]);
        const id = archive.sqlite.prepare("SELECT id FROM sessions").pluck().get() as string;
        changes.publish({ type: "session", id, events: 1 });
        changes.publish({ type: "session", id, events: 1 });
        await new Promise((resolve) => setTimeout(resolve, 40));
        return heard.length;
      };
      expect(await grow(150_000), "nobody chose a share").toBe(0);
      await saveWarnAt(archive, { warnAt: 0.8 });
      expect(await grow(150_000)).toBe(1);
      expect(heard[0]).toMatchObject({ tokens: 150_000, line: 167_000 });
      expect(await grow(155_000), "it is still over").toBe(1);
      expect(await grow(20_000), "it was compacted").toBe(1);
      expect(await grow(151_000), "and rose again").toBe(2);
      changes.publish({ type: "session", id: "s_00000000000000ff", events: 1 });
      await new Promise((resolve) => setTimeout(resolve, 40));
      end();
      expect(await grow(20_000)).toBe(2);
    },
    { ...testHost(), now: () => Date.now() },
  ));

test("a session that was written long ago is not warned of", () =>
  withRecords(
    { "a.jsonl": [answer(1, 160_000)] },
    async (archive) => {
      const changes = createChanges("t");
      const heard: Change[] = [];
      changes.subscribe(null, (_, change) => change.type === "warning" && heard.push(change));
      await saveWarnAt(archive, { warnAt: 0.5 });
      const end = warnOfLoad(archive, changes, 5);
      const id = archive.sqlite.prepare("SELECT id FROM sessions").pluck().get() as string;
      changes.publish({ type: "session", id, events: 1 });
      await new Promise((resolve) => setTimeout(resolve, 40));
      end();
      expect(heard).toEqual([]);
    },
    { ...testHost(), now: () => Date.now() + 3_600_000 },
  ));

test("an error of the database does not end the server", () =>
  withRecords({ "a.jsonl": [answer(1, 160_000)] }, async (archive) => {
    const changes = createChanges("t");
    const said = vi.spyOn(console, "error").mockReturnValue(undefined);
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const end = warnOfLoad(archive, changes, 5);
    try {
      const id = archive.sqlite.prepare("SELECT id FROM sessions").pluck().get() as string;
      await saveWarnAt(archive, { warnAt: 0.5 });
      archive.sqlite.exec("ALTER TABLE sessions RENAME TO damaged");
      changes.publish({ type: "session", id, events: 1 });
      // What a timer throws ends the process.
      expect(() => vi.advanceTimersByTime(5)).not.toThrow();
      expect(said).toHaveBeenCalledOnce();
    } finally {
      archive.sqlite.exec("ALTER TABLE damaged RENAME TO sessions");
      vi.useRealTimers();
      said.mockRestore();
      end();
    }
  }));
