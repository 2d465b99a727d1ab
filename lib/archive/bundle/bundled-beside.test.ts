// What a bundle says of files: an earlier version is given back whole elsewhere, notes beside a session are restored, and a continuation is
// known there, with the command that goes on with it, and never taken back there. Session files are made by hand (synthetic).
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { answer, asks, jsonl, prompt, result, SESSION, text } from "#lib/formats/claude-code/testing-claude.ts";
import { carryOnRequest } from "#lib/wire/carry-on-schema.ts";
import { markRequest } from "#lib/wire/marks-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { carryOn, takeBack } from "../handover/carry-on.ts";
import { listCarryOns } from "../handover/handover-rows.ts";
import { importPaths } from "../import/import-paths.ts";
import { restoreSession } from "../keep/restore-session.ts";
import { listMarks, setMark } from "../settings/marks.ts";
import { inFolder, put, withArchive } from "../testing-archive.ts";
import { importBundle } from "./import-bundle.ts";
import { differences, stateOf, writeBundleFile } from "./testing-bundle.ts";

const FOLDER = "home/.claude/projects/-home-ada-harbour";

const steps = (from: number, to: number): string =>
  Array.from({ length: to - from }, (_, i) => from + i)
    .map((n) =>
      jsonl(
        prompt(`p${n}`, n * 10, `Step ${n}`),
        answer(`a${n}`, n * 10 + 1, `${n}`, asks(`t${n}`, "Bash", { command: `run ${n}` })),
        result(`r${n}`, n * 10 + 2, `t${n}`, `output ${n}\n`.repeat(600)),
      ),
    )
    .join("");

const inTwo = (
  run: (sides: { from: Archive; to: Archive; dir: string; source: string; id: string }) => Promise<void>,
) =>
  inFolder((dir) =>
    withArchive(join(dir, "from"), async (from) => {
      const source = put(dir, `${FOLDER}/${SESSION}.jsonl`, steps(0, 4));
      const { files } = await importPaths(from, [source]);
      await withArchive(join(dir, "to"), (to) => run({ from, to, dir, source, id: files[0]!.sessions[0]! }));
    }),
  );

const same = async (from: Archive, to: Archive, id: string, dir: string): Promise<void> => {
  expect(differences(stateOf(from, [id]), stateOf(to, [id]))).toEqual([]);
  const [one, other] = [join(dir, "one.zip"), join(dir, "other.zip")];
  expect(
    readFileSync(await writeBundleFile(to, id, other)).equals(readFileSync(await writeBundleFile(from, id, one))),
  ).toBe(true);
};

test("an earlier version of a rewritten file is restored whole where only the bundle is", () =>
  inTwo(async ({ from, to, dir, source, id }) => {
    const before = readFileSync(source);
    writeFileSync(source, steps(2, 6));
    await importPaths(from, [source]);
    await importBundle(to, await writeBundleFile(from, id, join(dir, "x.zip")));
    await restoreSession(to, { session: id, to: join(dir, "back"), version: 1, roots: [] });
    expect(readFileSync(join(dir, "back", `${SESSION}.jsonl`)).equals(before)).toBe(true);
    await same(from, to, id, dir);
    expect(await importBundle(to, join(dir, "x.zip"))).toMatchObject({ status: "unchanged" });
  }));

test("what an agent notes of a sub-agent is restored with its session", () =>
  inTwo(async ({ from, to, dir, source, id }) => {
    const lines = jsonl(
      prompt("s1", 50, "Look", { isSidechain: true, agentId: "abc" }),
      answer("s2", 51, "ms", text("Seen."), { more: { isSidechain: true, agentId: "abc" } }),
    );
    const agent = put(dir, `${FOLDER}/${SESSION}/subagents/agent-abc.jsonl`, lines);
    const note = put(dir, `${FOLDER}/${SESSION}/subagents/agent-abc.meta.json`, '{"agentType":"Explore"}');
    await importPaths(from, [source, agent]);
    await importBundle(to, await writeBundleFile(from, id, join(dir, "x.zip")));
    await restoreSession(to, { session: id, to: join(dir, "back"), roots: [] });
    for (const [path, name] of [
      [source, `${SESSION}.jsonl`],
      [agent, `${SESSION}/subagents/agent-abc.jsonl`],
      [note, `${SESSION}/subagents/agent-abc.meta.json`],
    ] as const)
      expect([name, readFileSync(join(dir, "back", name)).equals(readFileSync(path))]).toEqual([name, true]);
    await same(from, to, id, dir);
  }));

test("a continuation and marks are known elsewhere; it is taken back where it was written", () =>
  inTwo(async ({ from, to, dir, id }) => {
    const { written } = await carryOn(from, id, carryOnRequest.parse({ tail: 1 }));
    await importPaths(from, [written!.path]);
    await setMark(from, id, markRequest.parse({ kind: "star" }));
    await importBundle(to, await writeBundleFile(from, id, join(dir, "x.zip")));
    const [there] = listCarryOns(to, id).rows;
    expect(there).toEqual(listCarryOns(from, id).rows[0]);
    expect(there!.session.isImported).toBe(true);
    expect(listMarks(to, id)).toEqual(listMarks(from, id));
    await expect(takeBack(to, written!.id)).rejects.toThrow("was written on another machine");
    expect(readFileSync(written!.path).length).toBe(written!.sizeBytes);
    await same(from, to, id, dir);
    expect((await takeBack(from, written!.id)).status).toBe("removed");
  }));
