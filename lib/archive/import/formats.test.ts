// Every format of the registry through the archive: what its fixtures hold is there once, by whatever pieces it came.
import { appendFileSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { FORMATS } from "#lib/formats/index.ts";
import { check } from "../upkeep/check-archive.ts";
import { listEvents } from "../sessions/list-events.ts";
import { showSession } from "../sessions/show-session.ts";
import { dumpOf, inFolder, put, withArchive } from "../testing-archive.ts";
import { importPaths } from "./import-paths.ts";

const FIXTURES = join(import.meta.dirname, "../../formats/fixtures");

describe.each(FORMATS)("$label", (format) => {
  const names = readdirSync(FIXTURES).filter((name) => name.startsWith(`${format.id}-synthetic-`));

  test.each(names)("%s: whole, in halves and again are the same", (name) =>
    inFolder(async (dir) => {
      const bytes = readFileSync(join(FIXTURES, name));
      const logs = join(dir, "logs");
      const path = put(logs, name, bytes);
      const whole = await withArchive(join(dir, "whole"), async (archive) => {
        const { files } = await importPaths(archive, [path]);
        expect(files[0]).toMatchObject({ status: "imported", format: format.id, errors: [] });
        const dump = dumpOf(archive, logs);
        expect((await importPaths(archive, [path])).files[0]?.status).toBe("unchanged");
        expect(dumpOf(archive, logs)).toEqual(dump);
        expect((await check(archive)).problems).toEqual([]);
        return dump;
      });
      if (format.reader !== "lines") return;
      for (const share of [0.01, 0.3, 0.5, 0.77, 0.999]) {
        const cut = Math.floor(bytes.length * share);
        put(logs, name, bytes.subarray(0, cut));
        await withArchive(join(dir, `half${share}`), async (archive) => {
          await importPaths(archive, [path], { final: false });
          appendFileSync(path, bytes.subarray(cut));
          await importPaths(archive, [path]);
          // The folder's inode differs from the first run's; nothing that is dumped does.
          expect(dumpOf(archive, logs)).toEqual(whole);
        });
      }
    }),
  );

  test.each(names)("%s: every call has its result, or is counted as open", (name) =>
    inFolder((dir) =>
      withArchive(join(dir, "archive"), async (archive) => {
        const { files } = await importPaths(archive, [join(FIXTURES, name)]);
        expect(files[0]!.sessions.length).toBeGreaterThan(0);
        for (const id of files[0]!.sessions) {
          const session = await showSession(archive, id);
          const { events } = await listEvents(archive, id, { from: 1, limit: 500 });
          const request = events.filter(({ type }) => type === "tool_call").map(({ toolCallId }) => toolCallId);
          const answered = new Set(
            events
              .filter(({ type, synthetic }) => type === "tool_result" && !synthetic)
              .map(({ toolCallId }) => toolCallId),
          );
          expect(session.toolCalls + session.hostedToolCalls).toBe(request.length);
          // A hosted call has its result inside, and may have one beside it.
          const open = request.filter((call) => !answered.has(call)).length;
          expect(session.callsWithoutResult).toBeLessThanOrEqual(open);
          expect(session.callsWithoutResult).toBeGreaterThanOrEqual(open - session.hostedToolCalls);
          expect(events.map(({ seq }) => seq)).toEqual(events.map((_, i) => i + 1));
          // A call begins with the first of its events: what it was sent stands before, also where all of it is one document.
          const begins = archive.sqlite
            .prepare(
              "SELECT call, first_seq AS seq FROM model_calls WHERE session_pk = (SELECT pk FROM sessions WHERE id = ?)",
            )
            .all(id) as { call: number; seq: number }[];
          const own = begins.flatMap(({ call }) => events.find((event) => event.call === call)?.seq ?? []);
          expect(
            begins.filter(({ call }) => events.some((event) => event.call === call)).map(({ seq }) => seq),
          ).toEqual(own);
        }
      }),
    ),
  );
});
