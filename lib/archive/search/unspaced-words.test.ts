// Words of scripts without spaces, in the search, the list and the find of a session.
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { searchQuery } from "#lib/wire/search-schema.ts";
import { sessionsQuery } from "#lib/wire/sessions-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { importPaths } from "../import/import-paths.ts";
import { findInSession } from "../sessions/find-in-session.ts";
import { listSessions } from "../sessions/list-sessions.ts";
import { inArchive, put } from "../testing-archive.ts";
import { fillIndex } from "./fill-index.ts";
import { searchArchive } from "./search-archive.ts";

const PROMPTS = [
  "日本語テストを書いてください。Reactの状態管理も確認。",
  "修复登录页面的错误",
  "세션을 읽는 동안 오류가 났다",
  "แก้ไขข้อผิดพลาดในหน้าเข้าสู่ระบบ",
  "Fix the reactive login",
];

const uuid = (n: number): string => `00000000-0000-4000-8000-${n.toString(16).padStart(12, "0")}`;

const lines = PROMPTS.map((content, n) => ({
  ...{ type: "user", sessionId: uuid(1), cwd: "/work/quay", version: "2.1.0", isSidechain: false },
  ...{ uuid: uuid(10 + n), parentUuid: n === 0 ? null : uuid(9 + n), userType: "external" },
  ...{ timestamp: `2026-05-01T10:00:0${n}.000Z`, message: { role: "user", content } },
}))
  .map((record) => `${JSON.stringify(record)}\n`)
  .join("");

const withPrompts = (run: (archive: Archive) => Promise<void>) =>
  inArchive(async (archive, logs) => {
    await importPaths(archive, [put(logs, "a.jsonl", lines)]);
    await fillIndex(archive);
    await run(archive);
  });

const FOUND: readonly (readonly [q: string, seqs: readonly number[]])[] = [
  ["日本語", [1]],
  ["テスト", [1]],
  ["本語テ", [1]],
  ["語", [1]],
  ["確認", [1]],
  ["日本 確認", [1]],
  ["日確", []],
  ["本日", []],
  ['"テストを書"', [1]],
  ["テスト*", [1]],
  ["React", [1]],
  ["react 状態管理", [1]],
  ["Reactの状態", [1]],
  ["登录", [2]],
  ["登录 错误", [2]],
  ["误", [2]],
  ["세션", [3]],
  ["오류", [3]],
  ["หน้า", [4]],
  ["ผิดพลาด", [4]],
  ["登录 -错误", []],
];

test("any part of a text without spaces is found", () =>
  withPrompts(async (archive) => {
    for (const [q, seqs] of FOUND) {
      const { hits } = await searchArchive(archive, searchQuery.parse({ q }));
      expect([q, hits.map(({ seq }) => seq)]).toEqual([q, seqs]);
      const { sessions } = await listSessions(archive, sessionsQuery.parse({ q }));
      expect([q, sessions.length]).toEqual([q, Math.min(1, seqs.length)]);
    }
  }));

test("… and marked, and found within its session", () =>
  withPrompts(async (archive) => {
    const snippet = async (q: string) =>
      (await searchArchive(archive, searchQuery.parse({ q }))).hits.map((hit) => hit.snippet);
    expect(await snippet("テスト react")).toEqual([
      "日本語\u0002テスト\u0003を書いてください。\u0002React\u0003の状態管理も確認。",
    ]);
    expect(await snippet("오류")).toEqual(["세션을 읽는 동안 \u0002오류\u0003가 났다"]);
    const { id } = (await listSessions(archive, sessionsQuery.parse({ q: "" }))).sessions[0]!;
    for (const [q, seqs] of FOUND.filter(([one]) => !/^React$|-/.test(one)))
      expect([q, (await findInSession(archive, id, q)).seqs]).toEqual([q, seqs]);
    expect((await findInSession(archive, id, "日本 確認")).counts).toEqual([2]);
  }));

test("a find that the index is too old for says that there may be more", () =>
  inArchive(async (archive, logs) => {
    await importPaths(archive, [put(logs, "a.jsonl", lines)]);
    const { id } = (await listSessions(archive, sessionsQuery.parse({}))).sessions[0]!;
    expect(await findInSession(archive, id, '"テスト"')).toMatchObject({ seqs: [], capped: true });
    await fillIndex(archive);
    expect(await findInSession(archive, id, '"テスト"')).toMatchObject({ seqs: [1], capped: false });
    appendFileSync(join(logs, "a.jsonl"), lines.split("\n")[0]!.replaceAll("-00000000000a", "-0000000000ff") + "\n");
    await importPaths(archive, [join(logs, "a.jsonl")]);
    expect(await findInSession(archive, id, '"テスト"')).toMatchObject({ seqs: [1], capped: true });
  }));
