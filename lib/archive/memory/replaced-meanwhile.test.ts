// The file of an imported session is another one by the time its plan is to be kept.
import { expect, test } from "vitest";
import { answer, jsonl, prompt, text } from "#lib/formats/claude-code/testing-claude.ts";
import { localWriter } from "../base/write.ts";
import type { Archive } from "../base/archive-type.ts";
import { importPaths } from "../import/import-paths.ts";
import { inArchive, put } from "../testing-archive.ts";
import { compactSession } from "./compact.ts";
import { memoryOf } from "./session-memory.ts";
import { request } from "./testing-run.ts";

const LINES = Array.from({ length: 6 }, (_, n) => [
  prompt(`p${n}`, n * 10, `Look at pier ${n}.`),
  answer(`a${n}`, n * 10 + 1, `m${n}`, text(`Pier ${n} is sound. `.repeat(100))),
]).flat();

/** Runs once before a plan is written. */
function beforePlan(archive: Archive, run: () => Promise<unknown>): void {
  const writer = localWriter(archive);
  archive.writer = {
    async run(what, ...rest) {
      if (what.name === "addCompaction") await run();
      return writer.run(what, ...rest);
    },
  };
}

test("a plan of events that have other numbers by then is refused", () =>
  inArchive(async (archive, logs) => {
    const path = put(logs, "session.jsonl", jsonl(...LINES));
    const id = (await importPaths(archive, [path])).files[0]!.sessions[0]!;
    beforePlan(archive, async () => {
      put(logs, "session.jsonl", jsonl(prompt("other", 0, "Something else."), ...LINES));
      await importPaths(archive, [path]);
    });
    await expect(compactSession(archive, id, request())).rejects.toThrow("imported again");
    expect(await memoryOf(archive, id)).toMatchObject({ compactions: [], items: [] });
  }));

test("a plan of a session that only went on is kept", () =>
  inArchive(async (archive, logs) => {
    const path = put(logs, "session.jsonl", jsonl(...LINES));
    const id = (await importPaths(archive, [path])).files[0]!.sessions[0]!;
    beforePlan(archive, async () => {
      put(logs, "session.jsonl", jsonl(...LINES, prompt("p6", 60, "Look at pier 6.")));
      await importPaths(archive, [path]);
    });
    const { status, id: plan } = await compactSession(archive, id, request());
    expect(status).toBe("planned");
    expect((await memoryOf(archive, id)).compactions).toMatchObject([{ id: plan, reason: null }]);
  }));
