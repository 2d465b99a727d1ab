// What may be asked of the archive: names and prefixes, words in hostile queries, snippets, windows of lines.
import type { Statement } from "better-sqlite3";
import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import {
  answer,
  asks,
  idOf,
  jsonl,
  line,
  prompt,
  result,
  SESSION,
  text,
  used,
  type Rec,
} from "#lib/formats/claude-code/testing-claude.ts";
import { artifactsQuery, linesQuery } from "#lib/wire/artifacts-schema.ts";
import { sessionsQuery } from "#lib/wire/sessions-schema.ts";
import { closeArchive, openArchive } from "./archive.ts";
import type { Archive } from "./base/archive-type.ts";
import { artifactLines } from "./artifacts/artifact-lines.ts";
import { countSession } from "./load/count-tokens.ts";
import { findInSession } from "./sessions/find-in-session.ts";
import { findSession } from "./base/find-session.ts";
import { heaviest } from "./load/heaviest.ts";
import { importPaths } from "./import/import-paths.ts";
import { publicSessionId } from "./base/row-keys.ts";
import { getEvent, listEvents } from "./sessions/list-events.ts";
import { listArtifacts } from "./sessions/list-artifacts.ts";
import { listSessions, listSummaries } from "./sessions/list-sessions.ts";
import { sessionLoad } from "./load/session-load.ts";
import { resolveArtifact } from "./artifacts/resolve.ts";
import { showArtifact } from "./sessions/show-artifact.ts";
import { readText } from "./artifacts/whole-text.ts";
import { showSession } from "./sessions/show-session.ts";
import { inArchive, put } from "./testing-archive.ts";

const session = (label: string, ...records: Rec[]): [string, Rec[]] => {
  const id = idOf(label);
  return [`${id}.jsonl`, records.map((record) => ({ ...record, sessionId: id }))];
};

const withSessions = (
  sessions: [string, Rec[]][],
  run: (archive: Archive, logs: string) => Promise<void>,
): Promise<void> =>
  inArchive(async (archive, logs) => {
    for (const [name, records] of sessions) put(logs, name, jsonl(...records));
    await importPaths(archive, [logs]);
    await run(archive, logs);
  });

const list = (archive: Archive, query: Record<string, unknown>) => listSessions(archive, sessionsQuery.parse(query));

describe("finding a session", () => {
  const files = [session("one", prompt("1", 1, "x")), session("two", prompt("2", 2, "y"))] as [string, Rec[]][];

  test("goes by its id, its native id, or the beginning of either", () =>
    withSessions(files, async (archive) => {
      const native = `claude-code:${idOf("one")}`;
      const id = publicSessionId(native);
      const pk = findSession(archive, id);
      for (const name of [native, idOf("one"), id.slice(0, 8), native.slice(0, -3), idOf("one").slice(0, -3)])
        expect(findSession(archive, name)).toBe(pk);
    }));

  test("of a beginning that fits several it says which, and of nothing that there is none", () =>
    withSessions(files, async (archive) => {
      const shared = idOf("one").slice(0, 18);
      expect(() => findSession(archive, shared)).toThrow(
        /begins 2 sessions: s_[0-9a-f]{16}, s_[0-9a-f]{16}, … Give more/,
      );
      for (const name of [
        "",
        "s",
        "s_",
        "%",
        "_",
        "claude-code:%",
        "nothing",
        "a".repeat(10_000),
        "'",
        "\0",
        "../..",
        "__proto__",
      ])
        expect(() => findSession(archive, name)).toThrow(/No session|begins 2/);
      expect(() => findSession(archive, "a".repeat(10_000))).toThrow(/^.{0,200}$/);
    }));

  test("goes by its title, its title as a slug, or as the latest one; ids come first", () =>
    withSessions(
      [
        session("one", prompt("1", 1, "Fix the Tide-Tables!")),
        session("two", prompt("2", 2, "Sort the harbours")),
        session("three", prompt("3", 3, "Sort the harbours")),
      ] as [string, Rec[]][],
      async (archive) => {
        const pk = (name: string): number => findSession(archive, idOf(name));
        expect(findSession(archive, "fix the tide-tables!")).toBe(pk("one"));
        expect(findSession(archive, "fix-the-tide-tables")).toBe(pk("one"));
        expect(findSession(archive, "latest")).toBe(pk("three"));
        for (const name of ["Sort the harbours", "sort-the-harbours"])
          expect(() => findSession(archive, name)).toThrow(
            /^Several sessions are titled "[Ss]ort.the.harbours": s_[0-9a-f]{16}, s_[0-9a-f]{16}\. Give an id\.$/,
          );
        expect(() => findSession(archive, "sort the")).toThrow(/^No session/);
      },
    ));

  test("the beginning of a session and of its sub-agents means the session", () =>
    inArchive(async (archive, logs) => {
      const side = (n: number): Rec => ({ isSidechain: true, agentId: `agent${n}` });
      put(
        logs,
        `${SESSION}.jsonl`,
        jsonl(prompt("1", 1, "x"), ...[1, 2, 3].map((n) => prompt(`s${n}`, n, "y", side(n)))),
      );
      await importPaths(archive, [logs]);
      const pk = findSession(archive, SESSION);
      expect(findSession(archive, SESSION.slice(0, 8))).toBe(pk);
      expect(findSession(archive, `${SESSION}/agent2`)).not.toBe(pk);
      expect(() => findSession(archive, `${SESSION}/agent`)).toThrow(/begins 3 sessions/);
    }));

  test("the whole name wins over a longer one that begins with it", () =>
    withSessions(
      [
        ["agent.jsonl", [prompt("1", 1, "x", { sessionId: "abc" })]],
        ["other.jsonl", [prompt("2", 1, "x", { sessionId: "abcd" })]],
      ],
      async (archive) => {
        expect((await showSession(archive, "abc")).nativeId).toBe("claude-code:abc");
        expect((await showSession(archive, "abcd")).nativeId).toBe("claude-code:abcd");
      },
    ));
});

describe("searching", () => {
  const files = [
    session(
      "tides",
      prompt("1", 1, "The harbour tide rises over the café wall"),
      answer("2", 2, "1", text("Highest: 4.55 m (100%_sure)")),
    ),
    session(
      "wrecks",
      prompt("3", 3, "Wrecks near the harbour"),
      answer("4", 4, "2", asks("t", "Grep", { pattern: "wreck" })),
    ),
  ] as [string, Rec[]][];

  test("every word must occur, the last one may go on, accents and case do not matter", () =>
    withSessions(files, async (archive) => {
      const found = async (q: string): Promise<string[]> =>
        (await list(archive, { q })).sessions.map(({ title }) => title.split(" ")[0]!).toSorted();
      expect(await found("harbour")).toEqual(["The", "Wrecks"]);
      expect(await found("HARBOUR tid")).toEqual(["The"]);
      expect(await found("cafe")).toEqual(["The"]);
      expect(await found("cafe\u0301 wall")).toEqual(["The"]);
      expect(await found("grep wreck")).toEqual(["Wrecks"]);
      expect(await found("nowhere")).toEqual([]);
      expect(await found("   ")).toHaveLength(2);
    }));

  const hostile = [
    '" OR 1=1 --',
    "*",
    '"a',
    "NEAR(",
    "NEAR(a b, 2)",
    `a* ${"OR a ".repeat(10_000)}`,
    "%".repeat(50_000),
    "tide AND NOT harbour",
    "text:tide",
    "^tide",
    "tide - harbour",
    "{text}:a",
    "\0",
    "'; DROP TABLE events; --",
    "\u202E\uD800",
    "(((((",
    "a".repeat(100_000),
    "😀",
    "-",
    "tide\u0000harbour",
  ];
  /** A query that cannot be read is refused with a sentence; nothing else may fail. */
  const refusal = (error: unknown): null => {
    expect(error).toMatchObject({ code: "invalid", message: expect.stringMatching(/\.$/) });
    return null;
  };
  test.each(hostile.map((q) => [q.slice(0, 24), q]))("%j is answered or refused at once, and changes nothing", (_, q) =>
    withSessions(files, async (archive) => {
      const startedAt = performance.now();
      const listed = await listSessions(archive, { ...sessionsQuery.parse({}), q }).catch(refusal);
      await findInSession(archive, idOf("tides"), q).catch(refusal);
      await listArtifacts(archive, { ...artifactsQuery.parse({}), q }).catch(refusal);
      expect(performance.now() - startedAt).toBeLessThan(1000);
      expect(listed?.total ?? 0).toBeLessThanOrEqual(2);
      expect(listed?.counts.all).toBe(listed?.total);
      expect(archive.sqlite.prepare("SELECT count(*) FROM events").pluck().get()).toBe(4);
    }),
  );

  test("no query of any characters fails otherwise than with a sentence", () =>
    withSessions(files, async (archive) => {
      await fc.assert(
        fc.asyncProperty(
          fc.oneof(fc.string({ unit: "binary" }), fc.stringMatching(/^["*^():+-]*(AND|OR|NOT|NEAR)?["* a-z]*$/)),
          async (q) => {
            await listSessions(archive, { ...sessionsQuery.parse({}), q }).catch(refusal);
            await findInSession(archive, idOf("tides"), q).catch(refusal);
          },
        ),
        { numRuns: 200 },
      );
    }));

  test("fields that are not there are refused at the door", () => {
    for (const query of [{ sort: "1;drop table" }, { dir: "up" }, { limit: 1e9 }, { limit: -1 }, { offset: "x" }])
      expect(sessionsQuery.safeParse(query).success).toBe(false);
  });

  test("a snippet marks the words that were found, and carries no mark of its own", () =>
    withSessions(
      [session("long", prompt("1", 1, `${"before ".repeat(40)}the TIDE \u0002turns\u0003 ${"after ".repeat(40)}`))],
      async (archive) => {
        const { sessions } = await list(archive, { q: "tide turn" });
        const snippet = sessions[0]!.snippet!;
        expect(snippet).toMatch(/^…(before ){2,}the \u0002TIDE\u0003 \u0002turn\u0003s (after )+.*…$/);
        expect(snippet.length).toBeLessThan(220);
      },
    ));

  test("a search names the event of its first hit; counts and facets follow the other filters", () =>
    withSessions(files, async (archive) => {
      const all = await list(archive, {});
      const found = await list(archive, { q: "harbour" });
      for (const { id, hit } of found.sessions)
        expect(hit).toBe((await findInSession(archive, id, "harbour")).seqs[0] ?? null);
      expect(all.sessions.map(({ hit }) => hit)).toEqual(all.sessions.map(() => null));
      expect(found.counts.all).toBe(found.total);
      expect(found.facets.formats.map(({ count }) => count)).toEqual([found.total]);
      const near = await list(archive, { badge: "near" });
      expect([near.total, near.counts.all, near.facets.formats]).toEqual([0, all.total, []]);
    }));

  test("a list summary that an earlier release wrote is made anew, and the list stands", () =>
    withSessions(
      [
        session(
          "one",
          prompt("1", 1, "look for eels"),
          answer("2", 2, "1", asks("t", "Bash", { command: "grep eel" })),
          result("3", 3, "t", "eel"),
        ),
      ],
      async (archive) => {
        const [before] = (await list(archive, {})).sessions;
        expect(before?.top).toMatchObject({ toolName: "Bash" });
        const { textTokens: _, ...old } = before!.top!;
        const summary = JSON.stringify({ version: 0, sparkline: null, top: old });
        archive.sqlite.prepare("UPDATE sessions SET card = json_set(?, '$.version', version)").run(summary);
        const other = await openArchive({ dir: archive.dir, host: archive.host, mode: "read" });
        try {
          expect((await list(other, {})).sessions[0]?.top).toEqual(before?.top);
        } finally {
          await closeArchive(other);
        }
      },
    ));

  test("find gives the events in order, folded results included", () =>
    withSessions(
      [
        session(
          "one",
          prompt("1", 1, "look for eels"),
          answer("2", 2, "1", asks("t", "Bash", { command: "grep eel" })),
          result("3", 3, "t", `${"x\n".repeat(4000)}eel, two EELS`),
        ),
      ],
      async (archive) => {
        expect(await findInSession(archive, idOf("one"), "eel")).toEqual({
          seqs: [1, 2, 3],
          counts: [1, 1, 2],
          total: 4,
          capped: false,
          stored: [],
        });
      },
    ));
});

describe("artifacts", () => {
  const output = Array.from({ length: 1000 }, (_, i) => `line ${i + 1} ${"é".repeat(i % 9)}`).join("\n");
  const withOutput = (content: string, run: (archive: Archive, pointer: string) => Promise<void>): Promise<void> =>
    withSessions(
      [
        session(
          "one",
          prompt("1", 1, "x"),
          answer("2", 2, "1", asks("t", "Read", { file_path: "/a/tides.txt" })),
          result("3", 3, "t", content),
        ),
      ],
      async (archive) => {
        const { events } = await listEvents(archive, idOf("one"), { from: 1, limit: 10 });
        await run(archive, events[2]!.artifact!);
      },
    );

  test("an output over 4,096 bytes is kept, named by what it was about, and one of 4,096 is not", () =>
    withSessions(
      [
        session(
          "one",
          prompt("1", 1, "x"),
          answer("2", 2, "1", asks("t", "Read", { file_path: "/a/tides.txt" })),
          result("3", 3, "t", "a".repeat(4097)),
          result("4", 4, "u", "é".repeat(2048)),
          result("5", 5, "v", "é".repeat(2049)),
        ),
      ],
      async (archive) => {
        const { events } = await listEvents(archive, idOf("one"), { from: 3, limit: 10 });
        expect(events.map(({ artifact, bytes, saw }) => [artifact !== null, bytes, saw])).toEqual([
          [true, 4097, "full"],
          [false, 4096, "full"],
          [true, 4098, "full"],
        ]);
        expect(resolveArtifact(archive, events[0]!.artifact!).name).toBe("tides.txt");
        expect((await getEvent(archive, idOf("one"), 5)).text).toBe("é".repeat(2049));
      },
    ));

  test("is found by pointer, short id, digest and session/name; nothing else finds it", () =>
    withOutput(output, async (archive, pointer) => {
      const view = await showArtifact(archive, pointer);
      expect(view).toMatchObject({
        name: "tides.txt",
        lineCount: 1000,
        contentType: "text/plain",
        registry: { ok: true },
        enteredAt: null,
        saw: "full",
      });
      for (const ref of [view.id, view.digest, `${view.sessionId}/tides.txt`])
        expect(resolveArtifact(archive, ref).pointer).toBe(pointer);
      for (const ref of [
        "",
        "art:",
        "%",
        view.digest.slice(1),
        `${view.sessionId}/../x`,
        "art_zzzzzzzzzzzzzzzz",
        "\0",
        "a".repeat(9999),
      ])
        expect(() => resolveArtifact(archive, ref)).toThrow(/No artifact/);
      expect(await readText(archive, pointer)).toBe(output);
    }));

  test("any window of lines is those lines", () =>
    withOutput(output, async (archive, pointer) => {
      const lines = output.split("\n");
      await fc.assert(
        fc.asyncProperty(fc.integer({ min: 1, max: 1100 }), fc.integer({ min: 1, max: 600 }), async (from, count) => {
          const window = await artifactLines(archive, pointer, { from, count });
          expect(window.lines.map((one) => one.text)).toEqual(lines.slice(from - 1, from - 1 + count));
          expect(window).toMatchObject({ from, lineCount: 1000 });
        }),
        { numRuns: 60 },
      );
      expect(linesQuery.safeParse({ from: 0 }).success).toBe(false);
    }));

  test.each([
    ["a last newline", `${"a\n".repeat(3000)}`, 3000, "a"],
    ["CRLF", `${"a\r\n".repeat(3000)}`, 3000, "a"],
    ["one long line", "b".repeat(50_000), 1, "b".repeat(4000)],
    ["empty lines", "\n".repeat(6000), 6000, ""],
  ])("lines of an output with %s", (_, content, count, first) =>
    withOutput(content, async (archive, pointer) => {
      const { lines, lineCount } = await artifactLines(archive, pointer, { from: 1, count: 2000 });
      expect(lineCount).toBe(count);
      expect(lines).toHaveLength(Math.min(2000, count));
      expect(lines[0]).toEqual({
        text: first,
        chars: first.length < 4000 ? first.length : 50_000,
        cut: first.length >= 4000,
      });
      const end = await artifactLines(archive, pointer, { from: Math.max(1, count - 5), count: 2000 });
      expect(end.lines).toHaveLength(Math.min(6, count));
    }),
  );
});

test("the heaviest output is the one that came to most: tokens times the calls that were sent it", () =>
  withSessions(
    [
      session(
        "load",
        prompt("1", 1, "x"),
        answer("2", 2, "1", asks("t1", "Read", { file_path: "/early" }), { usage: used(1000, 0, 0, 1) }),
        result("3", 3, "t1", "early words ".repeat(600)),
        answer("4", 4, "2", asks("t2", "Read", { file_path: "/late" }), { usage: used(3000, 0, 0, 1) }),
        result("5", 5, "t2", "late words more ".repeat(900)),
        answer("6", 6, "3", text("a"), { usage: used(9000, 0, 0, 1) }),
        line("system", "7", 7, { subtype: "compact_boundary", compactMetadata: { trigger: "auto", preTokens: 9000 } }),
        prompt("8", 8, "summary", { isCompactSummary: true }),
        answer("9", 9, "4", text("b"), { usage: used(500, 0, 0, 1) }),
      ),
    ],
    async (archive) => {
      const outcome = async () =>
        (await heaviest(archive, idOf("load"))).map(
          ({ seq, enteredAt, callsResident, tokens, origin, lifetimeTokens }) => ({
            seq,
            enteredAt,
            callsResident,
            tokens,
            origin,
            lifetimeTokens,
          }),
        );
      // What asked for an output came in with it: both together are what the prompt grew by, 2,000 and 6,000.
      const callTokens = async (seq: number): Promise<number> =>
        (await getEvent(archive, idOf("load"), seq)).tokens ?? Number.NaN;
      const expected = async () => [
        { seq: 5, enteredAt: 3, callsResident: 1, tokens: 6000 - (await callTokens(4)) },
        { seq: 3, enteredAt: 2, callsResident: 2, tokens: 2000 - (await callTokens(2)) },
      ];
      expect(await outcome()).toMatchObject(await expected());
      await countSession(archive, findSession(archive, idOf("load")));
      // Counted, the words explain less than the growth: 2,700 at 1.363 and 9, moved by 35 % at most.
      expect((await outcome())[0]).toMatchObject({ seq: 5, tokens: Math.round((2700 * 1.363 + 9) * 1.35) });
      for (const one of await outcome()) expect(one.lifetimeTokens).toBe(one.tokens * one.callsResident);
      const { calls } = await sessionLoad(archive, idOf("load"));
      for (const call of calls) expect(call.stack.reduce((sum, tokens) => sum + tokens, 0)).toBe(call.prompt);
      expect(calls.map(({ epoch, origin }) => [epoch, origin])).toEqual([
        [1, "reported"],
        [1, "reported"],
        [1, "reported"],
        [2, "reported"],
      ]);
    },
  ));

test("all summaries are those that each session shows, in the list's order, and no event is read for them", () =>
  inArchive(async (archive, logs) => {
    const side = { isSidechain: true, agentId: "a1" };
    put(logs, `${SESSION}.jsonl`, jsonl(prompt("1", 1, "x"), prompt("s1", 2, "kelpForest", side)));
    put(logs, `${idOf("later")}.jsonl`, jsonl(prompt("2", 9, "kelpForest", { sessionId: idOf("later") })));
    await importPaths(archive, [logs]);
    // Statements are prepared once: those that run are looked at.
    const statements = Object.getPrototypeOf(archive.sqlite.prepare("SELECT 1")) as Statement;
    const ran = [vi.spyOn(statements, "get"), vi.spyOn(statements, "all")];
    const { sessions: summaries } = await listSummaries(archive, {});
    const texts = ran.flatMap(({ mock }) => (mock.contexts as Statement[]).map(({ source }) => source));
    expect(texts.join("\n")).not.toMatch(/\b(FROM|JOIN) "?(events|interactions)\b/);
    expect(texts).not.toEqual([]);
    for (const spy of ran) spy.mockRestore();
    const listed = await listSessions(archive, { ...sessionsQuery.parse({}), nested: true });
    expect(listed.total).toBe(3);
    expect(summaries.map(({ summary }) => summary)).toEqual(
      await Promise.all(listed.sessions.map(({ id }) => showSession(archive, id))),
    );
    expect(summaries.map(({ calls }) => calls)).toEqual(listed.sessions.map(({ calls }) => calls));
    const { sessions: found } = await listSummaries(archive, { q: "kelpForest", format: "claude-code" });
    expect(found.map(({ summary }) => summary.nativeId)).toEqual([
      `claude-code:${idOf("later")}`,
      `claude-code:${SESSION}/a1`,
    ]);
    expect((await listSummaries(archive, { format: "codex" })).sessions).toEqual([]);
  }));

test("a sub-agent that comes before its parent is tied to it when it comes, by its file or by its words", () =>
  inArchive(async (archive, logs) => {
    const side = { isSidechain: true, agentId: "a1" };
    const agent = put(
      logs,
      `${SESSION}/subagents/agent-a1.jsonl`,
      jsonl(prompt("s1", 5, "Go and look", side), answer("s2", 6, "s", text("Done"), { more: side })),
    );
    await importPaths(archive, [agent]);
    expect((await showSession(archive, `${SESSION}/a1`)).parentId).toBeNull();
    const parent = put(
      logs,
      `${SESSION}.jsonl`,
      jsonl(
        prompt("1", 1, "x"),
        answer("2", 2, "1", asks("t", "Task", { prompt: "Go and look" })),
        result("3", 9, "t", "Done"),
      ),
    );
    await importPaths(archive, [parent]);
    const child = await showSession(archive, `${SESSION}/a1`);
    expect(child).toMatchObject({
      relation: "subagent",
      parentId: publicSessionId(`claude-code:${SESSION}`),
      parentToolCallSeq: 2,
    });
    expect((await list(archive, {})).sessions.map(({ id, children }) => [id, children])).toEqual([[child.parentId, 1]]);
    expect((await list(archive, { parent: child.parentId })).total).toBe(1);
  }));

test("pages of sessions are whole and in order, by whatever they are sorted", () =>
  withSessions(
    Array.from({ length: 25 }, (_, i) =>
      session(
        `s${i}`,
        prompt(`p${i}`, i * 60, `Session ${i % 7}`),
        answer(`a${i}`, i * 60 + 1, `${i}`, text("x"), { usage: used((i * 37) % 11, 0, 0, 1) }),
      ),
    ),
    async (archive) => {
      for (const sort of ["active", "started", "title", "turns", "calls", "peak", "compactions", "artifacts", "cost"])
        for (const dir of ["asc", "desc"]) {
          const all = (await list(archive, { sort, dir, limit: 100 })).sessions.map(({ id }) => id);
          expect(new Set(all).size).toBe(25);
          const pages: string[] = [];
          for (let offset = 0; offset < 25; offset += 10)
            pages.push(...(await list(archive, { sort, dir, limit: 10, offset })).sessions.map(({ id }) => id));
          expect(pages).toEqual(all);
        }
    },
  ));
