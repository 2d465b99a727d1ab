// Labels, stars and notes: set, searched, and there again after a file was read anew, exported or bundled.
import { expect, test } from "vitest";
import { searchQuery } from "#lib/wire/search-schema.ts";
import { sessionsQuery } from "#lib/wire/sessions-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { importPaths } from "../import/import-paths.ts";
import { exportSession } from "../sessions/export-session.ts";
import { listSessions } from "../sessions/list-sessions.ts";
import { showSession } from "../sessions/show-session.ts";
import { dropSearch, listLabels, listMarks, listSearches, saveSearch, setMark } from "../settings/marks.ts";
import { inArchive, put } from "../testing-archive.ts";
import { fillIndex } from "./fill-index.ts";
import { searchArchive } from "./search-archive.ts";

const uuid = (n: number): string => `00000000-0000-4000-8000-${n.toString(16).padStart(12, "0")}`;

/** A session of Claude Code, written by hand: prompts, one after the other. */
const linesOf = (id: number, prompts: readonly string[]): string =>
  prompts
    .map((content, n) => ({
      ...{ type: "user", sessionId: uuid(id), cwd: "/work/quay", version: "2.1.0", isSidechain: false },
      ...{ uuid: uuid(id * 1000 + content.length), parentUuid: null, userType: "external" },
      ...{ timestamp: `2026-05-01T10:00:0${n}.000Z`, message: { role: "user", content } },
    }))
    .map((record) => `${JSON.stringify(record)}\n`)
    .join("");

const onQuay = (run: (archive: Archive, id: string, logs: string) => Promise<void>) =>
  inArchive(async (archive, logs) => {
    await importPaths(archive, [
      put(logs, "a.jsonl", linesOf(1, ["Paint the quay", "Now the bollards too"])),
      put(logs, "b.jsonl", linesOf(2, ["Count the gulls"])),
    ]);
    await fillIndex(archive);
    const { sessions } = await listSessions(archive, sessionsQuery.parse({ q: "quay" }));
    await run(archive, sessions[0]!.id, logs);
  });

const listed = async (archive: Archive, q: string): Promise<string[]> =>
  (await listSessions(archive, sessionsQuery.parse({ q }))).sessions.map(({ title }) => title);
const seqsOf = async (archive: Archive, q: string) =>
  (await searchArchive(archive, searchQuery.parse({ q }))).hits.map(({ seq }) => seq).toSorted();

test("labels, stars and notes are set, listed, searched and taken away", () =>
  onQuay(async (archive, id) => {
    await setMark(archive, id, { kind: "label", value: "paint job", on: true, seq: null });
    await setMark(archive, id, { kind: "star", on: true, seq: 2 });
    await setMark(archive, id, { kind: "note", value: "ask the harbour master", seq: null });
    const { marks } = await setMark(archive, id, { kind: "note", value: "ask Monday", seq: null });
    expect(marks.map(({ seq, kind, value }) => [seq, kind, value])).toEqual([
      [null, "label", "paint job"],
      [null, "note", "ask Monday"],
      [2, "star", ""],
    ]);
    expect(await showSession(archive, id)).toMatchObject({ labels: ["paint job"], starred: false, note: "ask Monday" });
    expect(listLabels(archive)).toEqual({ labels: [{ name: "paint job", count: 1 }] });
    expect(await seqsOf(archive, 'label:"Paint Job" type:user')).toEqual([1, 2]);
    expect(await seqsOf(archive, "is:starred")).toEqual([2]);
    expect(await seqsOf(archive, "-is:starred type:user")).toEqual([1, 1]);
    for (const q of ['label:"paint job"', "is:starred", "note:monday", "-note:x quay"])
      expect(await listed(archive, q), q).toEqual(["Paint the quay"]);
    expect(await listed(archive, '-label:"paint job"')).toEqual(["Count the gulls"]);
    await setMark(archive, id, { kind: "label", value: "paint job", on: false, seq: null });
    await setMark(archive, id, { kind: "note", value: "", seq: null });
    expect(listMarks(archive, id).marks).toHaveLength(1);
    await expect(setMark(archive, id, { kind: "star", on: true, seq: 99 })).rejects.toThrow("no event 99");
  }));

test("a label and a note are found in any case of any script", () =>
  onQuay(async (archive, id) => {
    await setMark(archive, id, { kind: "label", value: "Ümlaut", on: true, seq: 1 });
    await setMark(archive, id, { kind: "note", value: "Über die ГАВАНЬ", seq: 2 });
    for (const q of ["label:ümlaut", "label:ÜMLAUT", "label:u\u0308mlaut", "note:über", "note:гавань"])
      expect(await listed(archive, q), q).toEqual(["Paint the quay"]);
    expect(await seqsOf(archive, "label:ümlaut")).toEqual([1]);
    expect(await seqsOf(archive, "note:über")).toEqual([2]);
    expect(await listed(archive, "label:uber")).toEqual([]);
  }));

test("a search says how many marked events it cannot show", () =>
  onQuay(async (archive, id, logs) => {
    const title = `${JSON.stringify({ type: "custom-title", customTitle: "The quay", sessionId: uuid(1) })}\n`;
    await importPaths(archive, [put(logs, "a.jsonl", linesOf(1, ["Paint the quay", "Now the bollards too"]) + title)]);
    await fillIndex(archive);
    for (const seq of [1, 3]) await setMark(archive, id, { kind: "star", on: true, seq });
    const notesOf = async (q: string) => (await searchArchive(archive, searchQuery.parse({ q }))).notes;
    expect(await notesOf("is:starred")).toEqual([
      "Not shown: 1 marked event that is hidden or inherited. The list of sessions has its session.",
    ]);
    expect(await seqsOf(archive, "is:starred")).toEqual([1]);
    expect(await notesOf("-is:starred")).toEqual([]);
    // Where the whole session has the mark nothing is left out that was not left out before.
    await setMark(archive, id, { kind: "star", on: true, seq: null });
    expect(await notesOf("is:starred")).toEqual([]);
  }));

test("a note that was changed since it was read is not replaced unseen", () =>
  onQuay(async (archive, id) => {
    const note = (value: string, before?: string) => setMark(archive, id, { kind: "note", value, before, seq: null });
    await note("mine", "");
    await note("theirs");
    await expect(note("mine, longer", "mine")).rejects.toMatchObject({ code: "conflict" });
    expect(await showSession(archive, id)).toMatchObject({ note: "theirs" });
    await note("both", "theirs");
    expect(await showSession(archive, id)).toMatchObject({ note: "both" });
  }));

test("marks stay on what they were set on when the file is written anew", () =>
  onQuay(async (archive, id, logs) => {
    await setMark(archive, id, { kind: "label", value: "later", on: true, seq: 2 });
    await setMark(archive, id, { kind: "star", on: true, seq: null });
    const again = linesOf(1, ["Before all", "Paint the quay", "Now the bollards too"]);
    await importPaths(archive, [put(logs, "a.jsonl", again)]);
    expect(listMarks(archive, id).marks.map(({ seq, kind }) => [seq, kind])).toEqual([
      [null, "star"],
      [3, "label"],
    ]);
  }));

test("an export has the marks, and an empty archive gets them", () =>
  onQuay(async (archive, id) => {
    await setMark(archive, id, { kind: "label", value: "later", on: true, seq: 2 });
    await setMark(archive, id, { kind: "note", value: "a note", seq: null });
    let text = "";
    for await (const line of exportSession(archive, id)) text += line;
    await inArchive(async (other, logs) => {
      await importPaths(other, [put(logs, "x.plimsoll.jsonl", text)]);
      const [session] = (await listSessions(other, sessionsQuery.parse({}))).sessions;
      expect(listMarks(other, session!.id)).toEqual(listMarks(archive, id));
    });
  }));

test("a search is saved under a name, changed by the same name, and deleted", () =>
  onQuay(async (archive) => {
    await saveSearch(archive, { name: "gulls", query: "gull" });
    await saveSearch(archive, { name: "gulls", query: "gull type:user" });
    expect(listSearches(archive).searches).toMatchObject([{ name: "gulls", query: "gull type:user" }]);
    expect(await dropSearch(archive, { name: "gulls" })).toEqual({ deleted: true });
    await expect(dropSearch(archive, { name: "gulls" })).rejects.toThrow("--saved lists");
  }));
