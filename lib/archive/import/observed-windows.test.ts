import { expect, test } from "vitest";
import { answer, idOf, jsonl, line, prompt, text, used, type Rec } from "#lib/formats/claude-code/testing-claude.ts";
import type { Archive } from "../base/archive-type.ts";
import { showSession } from "../sessions/show-session.ts";
import { sessionLoad } from "../load/session-load.ts";
import { inArchive, put } from "../testing-archive.ts";
import { Batch } from "../base/batch.ts";
import { importFile } from "./import-file.ts";
import { importPaths } from "./import-paths.ts";

const own = (name: string, records: readonly Rec[]): string =>
  jsonl(...records.map((record) => ({ ...record, sessionId: idOf(name) })));
const exchange = (name: string, tokens: number, at = 1): Rec[] => [
  prompt(`${name} 1`, at, "Go on"),
  answer(`${name} 2`, at + 1, name, text("Yes."), { usage: used(2, 0, tokens, 1) }),
];
const compacted = (name: string, at: number): Rec[] => [
  ...exchange(name, at - 500),
  line("system", `${name} 3`, 3, { subtype: "compact_boundary", compactMetadata: { trigger: "auto", preTokens: at } }),
];
const lineOf = async (archive: Archive, name: string) => (await showSession(archive, `claude-code:${idOf(name)}`)).peak;

test("sessions that were never compacted have the least line at which others of their model and version were", () =>
  inArchive(async (archive, logs) => {
    const small = put(logs, `${idOf("small")}.jsonl`, own("small", exchange("small", 60_000)));
    const first = put(logs, `${idOf("a")}.jsonl`, own("a", compacted("a", 158_000)));
    const second = put(logs, `${idOf("b")}.jsonl`, own("b", compacted("b", 160_000)));
    await importPaths(archive, [small]);
    await importPaths(archive, [first]);
    // One session alone may have been told to: what is known of the version holds.
    expect(await lineOf(archive, "small")).toMatchObject({
      loadLine: 167_000,
      loadLineOrigin: "Claude Code 2.1.219 compacts at this load",
    });
    await importPaths(archive, [second]);
    expect(await lineOf(archive, "small")).toMatchObject({
      loadLine: 158_000,
      loadLineOrigin: "observed: other sessions of this model and client compacted at this load",
    });
    expect(archive.sqlite.prepare("SELECT load_line FROM sessions WHERE peak_tokens = 60002").pluck().get()).toBe(
      158_000,
    );
  }));

test("an import that was killed behind its last file leaves it to the next, which finds nothing new", () =>
  inArchive(async (archive, logs) => {
    const paths = [
      put(logs, `${idOf("small")}.jsonl`, own("small", exchange("small", 60_000))),
      put(logs, `${idOf("a")}.jsonl`, own("a", compacted("a", 158_000))),
      put(logs, `${idOf("b")}.jsonl`, own("b", compacted("b", 160_000))),
    ];
    // All of an import but what it does behind its last file.
    const batch = new Batch(archive);
    for (const path of paths) await importFile(archive, batch, path, { roots: [logs], final: true });
    await batch.commit();
    expect(await lineOf(archive, "small")).toMatchObject({ loadLine: 167_000 });
    const { files } = await importPaths(archive, [logs]);
    expect(files.map(({ status }) => status)).toEqual(["unchanged", "unchanged", "unchanged"]);
    expect(await lineOf(archive, "small")).toMatchObject({ loadLine: 158_000 });
  }));

test("a session that went beyond it ran in a larger window, and keeps that", () =>
  inArchive(async (archive, logs) => {
    for (const name of ["a", "b"]) put(logs, `${idOf(name)}.jsonl`, own(name, compacted(name, 150_000)));
    put(logs, `${idOf("large")}.jsonl`, own("large", exchange("large", 180_000)));
    await importPaths(archive, [logs]);
    expect(await lineOf(archive, "large")).toMatchObject({ loadLine: 200_000 });
  }));

test("a file that became another session takes its compaction with it", () =>
  inArchive(async (archive, logs) => {
    put(logs, `${idOf("small")}.jsonl`, own("small", exchange("small", 60_000)));
    put(logs, `${idOf("a")}.jsonl`, own("a", compacted("a", 158_000)));
    const second = put(logs, `${idOf("b")}.jsonl`, own("b", compacted("b", 160_000)));
    await importPaths(archive, [logs]);
    expect(await lineOf(archive, "small")).toMatchObject({ loadLine: 158_000 });
    put(logs, `${idOf("b")}.jsonl`, own("b", exchange("another", 10_000)));
    await importPaths(archive, [second]);
    expect(await lineOf(archive, "small")).toMatchObject({ loadLine: 167_000 });
  }));

const of = (version: string, records: readonly Rec[]): Rec[] => records.map((record) => ({ ...record, version }));

test("a version has a line of its own, and one that nobody saw has that of those that do as it does", () =>
  inArchive(async (archive, logs) => {
    const sessions: [string, Rec[]][] = [
      ["a", of("2.1.7", compacted("a", 155_241))],
      ["b", of("2.1.7", compacted("b", 156_700))],
      ["c", of("2.1.39", compacted("c", 167_094))],
      ["d", of("2.1.39", compacted("d", 170_251))],
      ["old", of("2.1.12", exchange("old", 60_000))],
      ["new", of("2.1.60", exchange("new", 60_000))],
      ["between", of("2.1.22", exchange("between", 60_000))],
    ];
    for (const [name, records] of sessions) put(logs, `${idOf(name)}.jsonl`, own(name, records));
    await importPaths(archive, [logs]);
    const lines = await Promise.all(sessions.map(async ([name]) => (await lineOf(archive, name)).loadLine));
    // The second of each went beyond the line: its own peak is its line.
    expect(lines).toEqual([155_241, 156_202, 167_094, 169_753, 155_241, 167_094, 200_000]);
  }));

test("one that was told to compact early does not lower the line of the others", () =>
  inArchive(async (archive, logs) => {
    for (const [name, at] of Object.entries({ early: 60_000, a: 158_000, b: 160_000 }))
      put(logs, `${idOf(name)}.jsonl`, own(name, compacted(name, at)));
    put(logs, `${idOf("small")}.jsonl`, own("small", exchange("small", 50_000)));
    await importPaths(archive, [logs]);
    expect(await lineOf(archive, "small")).toMatchObject({ loadLine: 158_000 });
    expect(await lineOf(archive, "early")).toMatchObject({ loadLine: 60_000 });
  }));

test("a window of the table is never called observed, and a line that is a session's own peak says so", () =>
  inArchive(async (archive, logs) => {
    const late = [...compacted("late", 158_000), ...exchange("late again", 161_000, 4)];
    for (const [name, records] of Object.entries({ a: compacted("a", 158_000), late, wide: exchange("wide", 230_000) }))
      put(logs, `${idOf(name)}.jsonl`, own(name, records));
    await importPaths(archive, [logs]);
    const { window } = await sessionLoad(archive, `claude-code:${idOf("a")}`);
    expect(window).toEqual({ tokens: 200_000, origin: "the model's window, from the price table" });
    expect(await lineOf(archive, "late")).toMatchObject({
      loadLine: 161_002,
      loadLineOrigin: expect.stringMatching(/^this session's own peak, over 158,000: observed/) as string,
    });
    expect(await lineOf(archive, "wide")).toMatchObject({
      loadLine: 272_000,
      loadLineOrigin: "this session's peak exceeds the window of the price table",
    });
  }));
