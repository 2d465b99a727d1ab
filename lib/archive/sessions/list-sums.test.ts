// Sums of a list, its groups and its running sessions: held against the rows of the same list, one by one.
import { utimesSync } from "node:fs";
import { expect, test } from "vitest";
import { answer, idOf, jsonl, prompt, text, used, type Rec } from "#lib/formats/claude-code/testing-claude.ts";
import { completeRates } from "#lib/kernel/load/rates.ts";
import { sessionsQuery, type SessionRow } from "#lib/wire/sessions-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { closeArchive, openArchive } from "../archive.ts";
import { importPaths } from "../import/import-paths.ts";
import { hostPriced, inFolder, NOW, put, withArchive } from "../testing-archive.ts";
import { listSessions } from "./list-sessions.ts";
import { showSession } from "./show-session.ts";

// A million tokens of input cost $1; models named odd have no price.
const HOST = hostPriced((model) =>
  model.startsWith("odd")
    ? null
    : completeRates({ uncached: 1e-6, read: 1e-6, write: 1e-6, write1h: 1e-6, output: 1e-6 }),
);
/** Seconds from the start of the synthetic sessions to the clock of the tests. */
const LATEST = (NOW - Date.UTC(2026, 0, 5, 9)) / 1000;

type Plan = { cwd: string; second: number; prompts: readonly number[]; model?: string; running?: boolean; side?: true };

function write(logs: string, label: string, { cwd, second, prompts, model, running, side }: Plan): void {
  const id = idOf(label.replace(/-side$/u, ""));
  const more = side ? { isSidechain: true, agentId: "a1" } : {};
  const records: Rec[] = [
    prompt(`${label} p`, second, label, more),
    ...prompts.map((tokens, at) =>
      answer(`${label} a${at}`, second + at + 1, `${label} ${at}`, text("x"), {
        usage: used(tokens, 0, 0, 1),
        more,
        ...(model === undefined ? {} : { model }),
      }),
    ),
  ].map((record) => ({ ...record, sessionId: id, cwd }));
  const path = put(logs, side ? `${id}/subagents/agent-a1.jsonl` : `${id}.jsonl`, jsonl(...records));
  const writtenAt = new Date(running ? NOW : NOW - 3_600_000);
  utimesSync(path, writtenAt, writtenAt);
}

const inList = (plans: Readonly<Record<string, Plan>>, run: (archive: Archive) => Promise<void>): Promise<void> =>
  inFolder((dir) =>
    withArchive(
      `${dir}/archive`,
      async (archive) => {
        for (const [label, plan] of Object.entries(plans)) write(`${dir}/logs`, label, plan);
        await importPaths(archive, [`${dir}/logs`]);
        await run(archive);
      },
      HOST,
    ),
  );

const list = (archive: Archive, query: Record<string, unknown>) => listSessions(archive, sessionsQuery.parse(query));
const titles = (rows: readonly SessionRow[]): string[] => rows.map(({ title }) => title);

const PLANS: Readonly<Record<string, Plan>> = {
  one: { cwd: "/reef", second: 0, prompts: [1000, 2000] },
  two: { cwd: "/reef", second: 500, prompts: [4000] },
  three: { cwd: "/quay", second: 100, prompts: [8000, 16_000, 32_000] },
  "three-side": { cwd: "/quay", second: 101, prompts: [64_000], side: true },
};

test("sums are of all that is listed, whatever part is asked for, and sub-agents stand apart", () =>
  inList(PLANS, async (archive) => {
    for (const part of [{}, { limit: 1 }, { limit: 1, offset: 2 }]) {
      const { sums } = await list(archive, { sums: "1", ...part });
      expect(sums).toMatchObject({ sessions: 3, calls: 6, tokens: 63_000, isPartial: false });
      // 63,000 of input and 6 of output, a millionth each.
      expect(sums?.usd).toBeCloseTo(0.063006, 9);
      expect(sums?.subAgents).toMatchObject({ sessions: 1, calls: 1, tokens: 64_000, isPartial: false });
    }
    expect((await list(archive, {})).sums).toBeNull();
    expect((await list(archive, { sums: "1", project: "/reef" })).sums).toMatchObject({ sessions: 2, tokens: 7000 });
    // A search lists sub-agents themselves: they are counted once.
    expect((await list(archive, { sums: "1", q: "x" })).sums).toMatchObject({ sessions: 4, subAgents: null });
  }));

test("a sum is what the rows of its list come to", () =>
  inList({ ...PLANS, odd: { cwd: "/quay", second: 7, prompts: [5, 6], model: "odd-1" } }, async (archive) => {
    const { sessions, sums, groups } = await list(archive, { sums: "1", group: "project" });
    expect((await list(archive, { sums: "1" })).groups).toBeNull();
    const shown = await Promise.all(sessions.map(({ id }) => showSession(archive, id)));
    const sumOf = (of: (row: (typeof shown)[number]) => number) => shown.reduce((sum, row) => sum + of(row), 0);
    expect(sums?.calls).toBe(sumOf(({ modelCalls }) => modelCalls.own));
    expect(sums?.tokens).toBe(sumOf(({ usage }) => usage.inputUncached + usage.cacheRead + usage.cacheWrite));
    expect(sums?.usd).toBeCloseTo(
      sumOf(({ cost }) => cost.usd ?? 0),
      9,
    );
    expect(sums?.isPartial).toBe(shown.some(({ cost }) => cost.atLeast.length > 0));
    expect(groups?.map(({ project, isPartial }) => [project, isPartial])).toEqual([
      ["/reef", false],
      ["/quay", true],
    ]);
    for (const key of ["sessions", "calls", "tokens"] as const)
      expect(groups?.reduce((sum, group) => sum + group[key], 0)).toBe(sums?.[key]);
  }));

test("a list in groups has their rows in the order of the groups, part by part", () =>
  inList({ ...PLANS, none: { cwd: "", second: 3, prompts: [1] } }, async (archive) => {
    for (const sort of ["active", "started", "title", "cost"]) {
      const { sessions, groups } = await list(archive, { sums: "1", group: "project", sort });
      expect(sessions.map(({ cwd }) => cwd ?? "")).toEqual(
        groups?.flatMap((group) => Array.from({ length: group.sessions }, () => group.project)),
      );
      const singly: SessionRow[] = [];
      for (let offset = 0; offset < sessions.length; offset += 1)
        singly.push(...(await list(archive, { group: "project", sort, limit: 1, offset })).sessions);
      expect(titles(singly)).toEqual(titles(sessions));
    }
  }));

test("the last active session is first, and a running one before it where it is pinned", () =>
  inList(
    {
      early: { cwd: "/a", second: 0, prompts: [1], running: true },
      long: { cwd: "/a", second: 10, prompts: Array.from({ length: 90 }, () => 1) },
      late: { cwd: "/a", second: 50, prompts: [1] },
    },
    async (archive) => {
      expect(titles((await list(archive, { sort: "started" })).sessions)).toEqual(["late", "long", "early"]);
      expect(titles((await list(archive, { sort: "active" })).sessions)).toEqual(["long", "late", "early"]);
      for (const sort of ["active", "title"])
        expect(titles((await list(archive, { sort, pin: "running" })).sessions)[0]).toBe("early");
    },
  ));

test("titles with the words that were searched for come first: whole words, then beginnings, then what text has", () =>
  inList(
    {
      "Capstan [1] is lifted": { cwd: "/a", second: 0, prompts: [1] },
      "re-rig capstans": { cwd: "/a", second: 10, prompts: [1] },
      [`${"A long day ".repeat(40)} with a capstan`]: { cwd: "/a", second: 20, prompts: [1] },
    },
    async (archive) => {
      const found = async (query: Record<string, string>) =>
        titles((await list(archive, query)).sessions).map((title) => title.split(" ")[0]);
      expect(await found({ q: "capstan" })).toEqual(["A", "re-rig", "Capstan"]);
      expect(await found({ q: "capstan", pin: "title" })).toEqual(["Capstan", "re-rig", "A"]);
      expect(await found({ q: "CAPSTA*", pin: "title" })).toEqual(["re-rig", "Capstan", "A"]);
      expect(await found({ q: "", pin: "title" })).toEqual(["A", "re-rig", "Capstan"]);
    },
  ));

test("a running session says what it sends a minute, another does not", () =>
  inList(
    {
      // Two calls in the last five minutes, and one before.
      running: { cwd: "/a", second: LATEST - 301, prompts: [7000, 20_000, 29_998], running: true },
      idle: { cwd: "/a", second: LATEST - 10, prompts: [5000] },
    },
    async (archive) => {
      const { sessions } = await list(archive, { sort: "title", dir: "asc" });
      expect(sessions.map(({ title, burn, last }) => [title, burn, last.tokens])).toEqual([
        ["idle", null, 5000],
        [
          "running",
          { tokensPerMinute: 10_000, tokens: 50_000, calls: 2, minutes: 5, isLowerBound: false, origin: "reported" },
          29_998,
        ],
      ]);
    },
  ));

test("a list is of one moment, whenever the thread that writes takes a session away", async () => {
  for (let at = 1; at < 12; at++)
    await inFolder(async (dir) => {
      write(`${dir}/logs`, "one", { ...PLANS["one"]!, second: LATEST - 10, running: true });
      write(`${dir}/logs`, "two", PLANS["two"]!);
      await withArchive(`${dir}/archive`, (archive) => importPaths(archive, [`${dir}/logs`]), HOST);
      const writer = await openArchive({ dir: `${dir}/archive`, host: HOST });
      // The clock is read between the queries of a list: the session goes at one of its readings.
      let readings = 0;
      const now = (): number => {
        if (++readings === at) writer.sqlite.exec("DELETE FROM sessions");
        return NOW;
      };
      const archive = await openArchive({ dir: `${dir}/archive`, host: { ...HOST, now }, mode: "read" });
      readings = 0;
      const { sessions, total, counts } = await list(archive, {});
      expect([total, counts.all], `reading ${at}`).toEqual([sessions.length, sessions.length]);
      await closeArchive(archive);
      await closeArchive(writer);
    });
});
