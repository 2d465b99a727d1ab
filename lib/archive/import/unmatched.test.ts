// What an import says of files that no session format matches: it is never silent, and ordinary folders are counted.
import { join } from "node:path";
import { expect, test } from "vitest";
import { listSources } from "../sources/list-sources.ts";
import { inArchive, put } from "../testing-archive.ts";
import { importPaths } from "./import-paths.ts";
import { listUnmatched } from "./unmatched.ts";

const SESSION = `{"type":"session","version":3,"id":"a","timestamp":"2026-03-02T09:00:41.000Z","cwd":"/home/ada"}\n`;

test("a named file that no format matches is told of with what it is, and what was looked for", () =>
  inArchive(async (archive, logs) => {
    const path = put(logs, "trace.json", '{"trace":{},"spans":[]}');
    const answer = await importPaths(archive, [path]);
    expect(answer.files[0]).toMatchObject({
      status: "skipped",
      reason: "No session format matches. Found: one JSON object with trace, spans.",
    });
    expect(answer.lookedFor.find(({ id }) => id === "pi")?.signs).toContain("session");
  }));

test("a folder of other files is counted by endings, with first names, and makes no sources", () =>
  inArchive(async (archive, logs) => {
    for (let at = 0; at < 40; at++) put(logs, `photos/${at}.png`, "x");
    for (let at = 0; at < 5; at++) put(logs, `notes/${at}.json`, `{"note":${at}}`);
    const { files, unmatched, lookedFor } = await importPaths(archive, [logs]);
    expect(files).toEqual([]);
    expect(lookedFor.length).toBeGreaterThan(5);
    expect(unmatched).toMatchObject([{ path: logs, files: 45, bytes: 90 }]);
    expect(unmatched[0]!.groups.map(({ ending, files: count, names }) => [ending, count, names[0]])).toEqual([
      [".png", 40, join("photos", "0.png")],
      [".json", 5, join("notes", "0.json")],
    ]);
    expect(listUnmatched(archive)).toEqual(unmatched);
    expect((await listSources(archive, { limit: 10, offset: 0 })).total).toBe(0);
    expect((await importPaths(archive, [logs])).unmatched).toEqual(unmatched);
  }));

test("a file beside a session that says more of it is not unmatched; alone it is", () =>
  inArchive(async (archive, logs) => {
    const trace = { id: "rt_1", ts: 1, turn_id: "turn_0001", seq: 1, trace_type: "user", content: "Draw the tide." };
    const snapshot = { agent_id: "tide", epoch_id: 1, messages: [{ role: "system", content: "You draw." }] };
    const beside = "agents/Tide_1/working_context_snapshot.json";
    put(logs, "agents/Tide_1/raw_traces.jsonl", `${JSON.stringify(trace)}\n`);
    put(logs, beside, JSON.stringify(snapshot));
    put(logs, "agents/Alone_1/working_context_snapshot.json", JSON.stringify(snapshot));
    for (let turn = 0; turn < 2; turn++)
      expect((await importPaths(archive, [logs])).unmatched).toMatchObject([
        { files: 1, groups: [{ names: [join("agents", "Alone_1", "working_context_snapshot.json")] }] },
      ]);
  }));

test("an empty folder is answered for", () =>
  inArchive(async (archive, logs) => {
    expect((await importPaths(archive, [logs])).unmatched).toMatchObject([{ path: logs, files: 0 }]);
  }));

test("a session file of any name is found by its content in a named folder, and not in an agent's own", () =>
  inArchive(async (archive, logs) => {
    put(logs, "export.txt", SESSION);
    const byName = await importPaths(archive, [logs], { byName: [logs] });
    expect([byName.files, byName.unmatched]).toEqual([[], []]);
    const { files } = await importPaths(archive, [logs]);
    expect(files).toMatchObject([{ path: join(logs, "export.txt"), format: "pi", status: "imported" }]);
    const { sources } = await listSources(archive, { limit: 10, offset: 0 });
    expect(sources[0]!.why).toBe(
      'pi: a first line of type session with id and cwd, entries with messages, or a database of them. Found: one JSON object with type "session", version, id, timestamp, cwd.',
    );
  }));

test("a file that grew into a session is read, and leaves the count", () =>
  inArchive(async (archive, logs) => {
    put(logs, "later.log", "{");
    expect((await importPaths(archive, [logs])).unmatched).toMatchObject([{ files: 1 }]);
    put(logs, "later.log", SESSION);
    const { files, unmatched } = await importPaths(archive, [logs]);
    expect(files).toMatchObject([{ format: "pi" }]);
    expect([unmatched, listUnmatched(archive)]).toEqual([[], []]);
  }));
