import { expect, test } from "vitest";
import { answer, idOf, jsonl, line, prompt, text, used, type Rec } from "#lib/formats/claude-code/testing.ts";
import type { Archive } from "../archive.ts";
import { showSession } from "../show-session.ts";
import { inArchive, put } from "../testing.ts";
import { importPaths } from "./import-paths.ts";

const own = (name: string, records: readonly Rec[]): string =>
  jsonl(...records.map((record) => ({ ...record, sessionId: idOf(name) })));
const asked = (name: string, tokens: number): Rec[] => [
  prompt(`${name} 1`, 1, "Go on"),
  answer(`${name} 2`, 2, name, text("Yes."), { usage: used(2, 0, tokens, 1) }),
];
const compacted = (name: string, at: number): Rec[] => [
  ...asked(name, at - 500),
  line("system", `${name} 3`, 3, { subtype: "compact_boundary", compactMetadata: { trigger: "auto", preTokens: at } }),
];
const lineOf = async (archive: Archive, name: string) => (await showSession(archive, `claude-code:${idOf(name)}`)).peak;

test("sessions that were never compacted have the line at which others of their model were", () =>
  inArchive(async (archive, logs) => {
    const small = put(logs, `${idOf("small")}.jsonl`, own("small", asked("small", 60_000)));
    const first = put(logs, `${idOf("a")}.jsonl`, own("a", compacted("a", 158_000)));
    const second = put(logs, `${idOf("b")}.jsonl`, own("b", compacted("b", 160_000)));
    await importPaths(archive, [small]);
    await importPaths(archive, [first]);
    // One session alone may have been told to.
    expect(await lineOf(archive, "small")).toMatchObject({ loadLine: 200_000 });
    await importPaths(archive, [second]);
    expect(await lineOf(archive, "small")).toMatchObject({
      loadLine: 160_000,
      loadLineOrigin: "observed: other sessions of this model were compacted at this load",
    });
    expect(archive.sqlite.prepare("SELECT load_line FROM sessions WHERE peak_tokens = 60002").pluck().get()).toBe(
      160_000,
    );
  }));

test("a session that went beyond it ran in a larger window, and keeps that", () =>
  inArchive(async (archive, logs) => {
    for (const name of ["a", "b"]) put(logs, `${idOf(name)}.jsonl`, own(name, compacted(name, 150_000)));
    put(logs, `${idOf("large")}.jsonl`, own("large", asked("large", 180_000)));
    await importPaths(archive, [logs]);
    expect(await lineOf(archive, "large")).toMatchObject({ loadLine: 200_000 });
  }));

test("a file that became another session takes its compaction with it", () =>
  inArchive(async (archive, logs) => {
    put(logs, `${idOf("small")}.jsonl`, own("small", asked("small", 60_000)));
    put(logs, `${idOf("a")}.jsonl`, own("a", compacted("a", 158_000)));
    const second = put(logs, `${idOf("b")}.jsonl`, own("b", compacted("b", 160_000)));
    await importPaths(archive, [logs]);
    expect(await lineOf(archive, "small")).toMatchObject({ loadLine: 160_000 });
    put(logs, `${idOf("b")}.jsonl`, own("b", asked("another", 10_000)));
    await importPaths(archive, [second]);
    expect(await lineOf(archive, "small")).toMatchObject({ loadLine: 200_000 });
  }));
