// Search over real archives: what is found, where, and what is gone with its session.
import { statSync, writeFileSync } from "node:fs";
import { searchPath } from "#db/search-database.ts";
import { expect, test, vi } from "vitest";
import { artifactsQuery } from "#lib/wire/artifacts-schema.ts";
import { sessionsQuery } from "#lib/wire/sessions-schema.ts";
import { searchQuery, type SearchAnswer } from "#lib/wire/search-schema.ts";
import { deleteArtifact } from "../artifacts/delete-artifact.ts";
import type { Archive } from "../base/archive-type.ts";
import { writeIndexOf } from "../base/search-file.ts";
import { importPaths } from "../import/import-paths.ts";
import { findInSession } from "../sessions/find-in-session.ts";
import { listArtifacts } from "../sessions/list-artifacts.ts";
import { removeSession } from "../sources/remove-session.ts";
import { inArchive, NOW, put, testHost, withRecords } from "../testing-archive.ts";
import { fillIndex } from "./fill-index.ts";
import { RANKED } from "./order-matches.ts";
import { searchArchive } from "./search-archive.ts";
import { listSessions } from "../sessions/list-sessions.ts";
import { isIndexDue } from "./search-index.ts";

const uuid = (n: number): string => `00000000-0000-4000-8000-${n.toString(16).padStart(12, "0")}`;
const at = (n: number): string => new Date(NOW - 3_600_000 + n * 1000).toISOString();

/** A session of Claude Code, written by hand: a question, a call with its result for each output, an answer. */
function records(
  id: number,
  cwd: string,
  question: string,
  outputs: readonly [tool: string, input: object, output: string][],
) {
  const session = uuid(id);
  const base = {
    sessionId: session,
    cwd,
    version: "2.1.0",
    gitBranch: "main",
    isSidechain: false,
    userType: "external",
  };
  let n = 0;
  const next = () => ({
    ...base,
    uuid: uuid(id * 1000 + ++n),
    parentUuid: n === 1 ? null : uuid(id * 1000 + n - 1),
    timestamp: at(n),
  });
  const usage = { input_tokens: 10, output_tokens: 10, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 };
  const message = { type: "message", role: "assistant", model: "claude-sonnet-4-5", usage };
  return [
    { type: "user", ...next(), message: { role: "user", content: question } },
    ...outputs.flatMap(([name, input, output], i) => [
      {
        type: "assistant",
        ...next(),
        message: { ...message, id: `m${id}_${i}`, content: [{ type: "tool_use", id: `t${id}_${i}`, name, input }] },
      },
      {
        type: "user",
        ...next(),
        message: {
          role: "user",
          content: [
            { type: "tool_result", tool_use_id: `t${id}_${i}`, content: output, is_error: output.startsWith("Error") },
          ],
        },
      },
    ]),
  ];
}

const LONG = `${"a plank of the pier\n".repeat(5000)}the barnacle count is 17\n${"another plank\n".repeat(100)}`;

const grounds = (run: (archive: Archive, dir: string) => Promise<void>) =>
  withRecords(
    {
      "a.jsonl": records(1, "/work/harbour", "Why do the moorings keep breaking?", [
        ["Read", { file_path: "/work/harbour/src/moorErrorHandler.ts" }, "export function moorErrorHandler() {}"],
        ["Bash", { command: "npm test" }, "Error: no such file or directory"],
      ]),
      "b.jsonl": records(2, "/work/lighthouse", "Count the barnacles", [["Bash", { command: "cat pier.log" }, LONG]]),
    },
    async (archive, dir) => {
      await fillIndex(archive);
      await run(archive, dir);
    },
    testHost(),
  );

const search = (archive: Archive, q: string, more: object = {}): Promise<SearchAnswer> =>
  searchArchive(archive, searchQuery.parse({ q, ...more }));
const foundIn = async (archive: Archive, q: string): Promise<(string | number | null)[][]> =>
  (await search(archive, q)).hits.map(({ session, kind, seq }) => [session.project!.split("/").at(-1)!, kind, seq]);

test("a word is found by its stem, and marked as it stands", () =>
  grounds(async (archive) => {
    const { hits, total, sessions } = await search(archive, "mooring broke*");
    expect([hits, total, sessions]).toEqual([[], 0, 0]);
    const found = await search(archive, "mooring break");
    expect(found).toMatchObject({ total: 1, sessions: 1, isWhole: true, order: "rank", index: { sessions: 2, of: 2 } });
    expect(found.hits[0]).toMatchObject({
      kind: "user",
      seq: 1,
      snippet: "Why do the \u0002moorings\u0003 keep \u0002breaking\u0003?",
    });
  }));

test("words that begin so are found, and no others of their stem", () =>
  withRecords(
    {
      "a.jsonl": records(1, "/work/a", "A running total", []),
      "b.jsonl": records(2, "/work/b", "Run it at runtime", []),
      "c.jsonl": records(3, "/work/c", "Moorish arches", []),
      "d.jsonl": records(4, "/work/d", "Two moorings and a mooring", []),
      "e.jsonl": records(5, "/work/e", "Generate a university", []),
      "f.jsonl": records(6, "/work/f", "The general universe", []),
    },
    async (archive) => {
      await fillIndex(archive);
      for (const [q, names] of [
        ["running*", "a"],
        ["run*", "ab"],
        ["runni*", "a"],
        ["mooring*", "d"],
        ["moor*", "cd"],
        ["generat*", "e"],
        ["gener*", "ef"],
        ["universit*", "e"],
        ["-running* type:user", "bcdef"],
        ["running* tot*", "a"],
        ["running* arches", ""],
        ["a/running*", "a"],
        ["two/running*", ""],
      ] as const) {
        const found = await foundIn(archive, q);
        expect([
          q,
          found
            .map(([name]) => name)
            .toSorted()
            .join(""),
        ]).toEqual([q, names]);
      }
      const { hits } = await search(archive, "running* total");
      expect(hits.map(({ snippet }) => snippet)).toEqual(["A \u0002running\u0003 \u0002total\u0003"]);
      // The last word that is typed is found by its stem, too.
      for (const [q, names] of [
        ["running", "ab"],
        ["runni", "a"],
        ["mooring", "d"],
        ["generat", "e"],
        ["generating", "ef"],
      ] as const)
        expect([q, (await listed(archive, q)).toSorted().join("")]).toEqual([q, names]);
    },
    testHost(),
  ));

test("words whose stems begin so, but that do not themselves, are not found", () =>
  withRecords(
    {
      "a.jsonl": records(1, "/work/a", "A happy sailor", []),
      "b.jsonl": records(2, "/work/b", "Sheer happiness", []),
      "c.jsonl": records(3, "/work/c", "The filing system", []),
      "d.jsonl": records(4, "/work/d", "Two files of a fileset", []),
      "e.jsonl": records(5, "/work/e", "A worrying wind", []),
      "f.jsonl": records(6, "/work/f", "Generalize the pier", []),
    },
    async (archive) => {
      await fillIndex(archive);
      for (const [q, names] of [
        ["happi*", "b"],
        ["happ*", "ab"],
        ["happy*", "a"],
        ["file*", "d"],
        ["fil*", "cd"],
        ["worri*", ""],
        ["generali*", "f"],
        ["generalis*", ""],
        ["-happi* type:user", "acdef"],
      ] as const)
        expect([
          q,
          (await foundIn(archive, q))
            .map(([name]) => name)
            .toSorted()
            .join(""),
        ]).toEqual([q, names]);
      // What is typed is found by its stem, too.
      for (const [q, names] of [
        ["file", "cd"],
        ["happi", "ab"],
      ] as const)
        expect([q, (await listed(archive, q)).toSorted().join("")]).toEqual([q, names]);
    },
    testHost(),
  ));

test("a name is found by its words without its number, and what has no letter finds nothing", () =>
  withRecords(
    { "a.jsonl": records(1, "/work/a", "It throws HTTPServerError2", []) },
    async (archive) => {
      await fillIndex(archive);
      for (const q of ["http server error", "HTTPServerError2", "error2", "server error 2"])
        expect([q, await foundIn(archive, q)]).toEqual([q, [["a", "user", 1]]]);
      expect(await listed(archive, "throws")).toEqual(["a"]);
      expect(await listed(archive, "\0")).toEqual([]);
    },
    testHost(),
  ));

test("identifiers and paths are found by their parts, and by the file of a call", () =>
  grounds(async (archive) => {
    const matches = [
      ["harbour", "tool_call", 2],
      ["harbour", "tool_result", 3],
    ];
    for (const q of ["error handler -such", "moorErrorHandler", "file:src/moorErrorHandler.ts"])
      expect((await foundIn(archive, q)).sort(), q).toEqual(matches);
    expect(await foundIn(archive, "file:moorErrorHandler.ts type:result")).toEqual([["harbour", "tool_result", 3]]);
    expect((await search(archive, "handler type:call")).hits[0]!.snippet).toContain("\u0002");
  }));

test("fields, negation and alternatives narrow a search down", () =>
  grounds(async (archive) => {
    expect(await foundIn(archive, "is:error")).toEqual([["harbour", "tool_result", 5]]);
    expect(await foundIn(archive, '"no such file" tool:bash')).toEqual([["harbour", "tool_result", 5]]);
    expect(await foundIn(archive, "type:user -moorings")).toEqual([["lighthouse", "user", 1]]);
    expect(await foundIn(archive, "type:user project:harbour project:lighthouse")).toHaveLength(2);
    expect(await foundIn(archive, "type:user -project:harbour")).toEqual([["lighthouse", "user", 1]]);
    expect(await foundIn(archive, "type:user after:2026-05-31 before:2026-05-31")).toEqual([]);
    expect(await foundIn(archive, "type:user branch:main model:sonnet agent:claude after:2026-05-30")).toHaveLength(2);
    expect(await foundIn(archive, "type:user agent:cla")).toEqual([]);
    expect(await foundIn(archive, "tokens:>1k")).toEqual([["lighthouse", "tool_result", 3]]);
  }));

const COMPACTED = { type: "compaction", kind: "full", trigger: "auto", tokensBefore: null, tokensAfter: null };

test("compactions without a text, and events of no known type with one, are found", () =>
  grounds(async (archive, dir) => {
    const lines = [
      { plimsoll: 1, id: uuid(4), title: "Tides", startedAt: at(0), endedAt: at(9) },
      { record: "event", ts: at(1), startsTurn: true, body: { type: "user", text: "Go on" } },
      { record: "event", ts: at(2), body: { ...COMPACTED, text: "" } },
      { record: "event", ts: at(3), body: { type: "unknown", reason: "A new kind.", text: "a spinnaker" } },
      { record: "event", ts: at(4), body: { type: "unknown", reason: "A new kind.", text: "" } },
    ];
    const text = lines.map((one) => `${JSON.stringify(one)}\n`).join("");
    await importPaths(archive, [put(`${dir}/logs`, "tides.plimsoll.jsonl", text)]);
    await fillIndex(archive);
    const found = async (q: string) => (await search(archive, q)).hits.map(({ kind, seq }) => [kind, seq]);
    expect(await found("type:compaction")).toEqual([["compaction", 2]]);
    expect(await found("spinnaker")).toEqual([["unknown", 3]]);
    expect(await found("type:unknown")).toEqual([["unknown", 3]]);
  }));

test("what stands deep in a stored output is found with its line", () =>
  grounds(async (archive) => {
    const { hits } = await search(archive, "barnacle count type:output");
    expect(hits).toHaveLength(1);
    expect(hits[0]).toMatchObject({ kind: "artifact", seq: 3, line: 5001, tool: "Bash" });
    expect(hits[0]!.artifact).toMatch(/^art:/);
    expect(hits[0]!.snippet).toContain("the \u0002barnacle\u0003 \u0002count\u0003 is 17");
  }));

test("regular expressions are tried on what words and filters leave, and bad ones are refused", () =>
  grounds(async (archive) => {
    const { hits, scanned } = await search(archive, String.raw`/count is \d+/ type:output`);
    expect(hits).toMatchObject([{ seq: 3, line: 5001 }]);
    expect(scanned).toMatchObject({ isWhole: true });
    expect(await foundIn(archive, "/MOORINGS/i")).toEqual([["harbour", "user", 1]]);
    await expect(search(archive, "/(a/")).rejects.toThrow("The pattern /(a/ cannot be used.");
  }));

test("an expression is tried on as many events as it says, however many pieces an output has", () =>
  grounds(async (archive) => {
    const { scanned } = await search(archive, String.raw`/nothing like it \d+/`);
    const { total } = await search(archive, "tokens:>=0");
    expect(scanned).toEqual({ matches: total, of: total, hasOlder: false, isWhole: true });
  }));

test("an agent is found by the name that its file says, as lists and usage name it", () =>
  inArchive(async (archive, logs) => {
    const header = { plimsoll: 1, id: "pilot-1", agent: "Harbour Pilot", title: "Bring her in", titleRank: 2 };
    const event = { record: "event", body: { type: "user", text: "Bring her in" } };
    const text = [header, event].map((record) => `${JSON.stringify(record)}\n`).join("");
    await importPaths(archive, [put(logs, "pilot.plimsoll.jsonl", text)]);
    await fillIndex(archive);
    for (const q of ["agent:pilot", 'agent:"harbour pilot"', "agent:harb*", "agent:plimsoll"]) {
      const { hits } = await search(archive, q);
      expect(
        hits.map(({ session }) => session.agent),
        q,
      ).toEqual(["Harbour Pilot"]);
      expect((await listSessions(archive, sessionsQuery.parse({ q }))).total, q).toBe(1);
    }
    for (const q of ["agent:harb", "-agent:pilot", "agent:claude"]) expect((await search(archive, q)).total, q).toBe(0);
  }));

test("the facet of agents names them as results do, and counts what a click on each leaves", () =>
  inArchive(async (archive, logs) => {
    for (const [id, agent] of [
      ["one", "Harbour Pilot"],
      ["two", "Harbour Pilot"],
      ["three", "claude-code"],
      ["four", undefined],
    ] as const) {
      const header = { plimsoll: 1, id, title: "Bring her in", titleRank: 2, ...(agent !== undefined && { agent }) };
      const event = { record: "event", body: { type: "user", text: "Bring her in" } };
      const text = [header, event].map((record) => `${JSON.stringify(record)}\n`).join("");
      await importPaths(archive, [put(logs, `${id}.plimsoll.jsonl`, text)]);
    }
    await fillIndex(archive);
    const { facets } = await search(archive, "bring");
    // Of the four files all are Plimsoll's own format, which `agent:plimsoll` has always named.
    expect(facets!.agents).toEqual([
      { value: "Plimsoll", label: "Plimsoll", count: 4 },
      { value: "Harbour Pilot", label: "Harbour Pilot", count: 2 },
      { value: "Claude Code", label: "Claude Code", count: 1 },
    ]);
    for (const { value, count } of facets!.agents)
      expect((await search(archive, `bring agent:"${value}"`)).total, value).toBe(count);
  }));

test("an agent that a file names by its format's id is found by its label, too", () =>
  inArchive(async (archive, logs) => {
    const header = { plimsoll: 1, id: "pilot-2", agent: "claude-code", title: "Bring her in", titleRank: 2 };
    const event = { record: "event", body: { type: "user", text: "Bring her in" } };
    const text = [header, event].map((record) => `${JSON.stringify(record)}\n`).join("");
    await importPaths(archive, [put(logs, "pilot.plimsoll.jsonl", text)]);
    await fillIndex(archive);
    for (const q of ["agent:claude-code", 'agent:"claude code"', "agent:claude"])
      expect((await search(archive, q)).total, q).toBe(1);
  }));

test("what has no time is neither after nor before: who does not want either has it", () =>
  inArchive(async (archive, logs) => {
    const header = { plimsoll: 1, id: "times", title: "Times", titleRank: 2 };
    const said = [undefined, "2026-05-01T00:00:00.000Z", "2026-07-01T00:00:00.000Z"].map((ts) => ({
      ...{ record: "event", body: { type: "user", text: "limpets" } },
      ...(ts !== undefined && { ts }),
    }));
    const text = [header, ...said].map((record) => `${JSON.stringify(record)}\n`).join("");
    await importPaths(archive, [put(logs, "times.plimsoll.jsonl", text)]);
    await fillIndex(archive);
    for (const [field, total] of [
      ["after", 1],
      ["before", 1],
      ["-after", 2],
      ["-before", 2],
    ] as const)
      expect((await search(archive, `${field}:2026-06-01 limpets`)).total, field).toBe(total);
  }));

test("facets count the matches of each value", () =>
  grounds(async (archive) => {
    const { facets, total } = await search(archive, "tool:Bash");
    expect(total).toBe(4);
    expect(facets).toMatchObject({
      tools: [{ value: "Bash", count: 4 }],
      projects: [
        { value: "/work/harbour", count: 2 },
        { value: "/work/lighthouse", count: 2 },
      ],
    });
    expect((await search(archive, "tool:Bash", { facets: "0" })).facets).toBeNull();
    expect((await search(archive, "tool:Bash", { by: "session" })).hits).toHaveLength(2);
  }));

/** So many matches of the question of a session, the newest of all: more than are ranked. */
function crowd(archive: Archive, session: number, text: string): void {
  const index = writeIndexOf(archive);
  index
    .prepare(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i <= ${RANKED})
       INSERT INTO docs (session, seq, piece, kind, tool, ts, tokens, flags) SELECT ?, 1, 0, 0, 0, 0, 1, 0 FROM n`,
    )
    .run(session);
  index
    .prepare("INSERT INTO words (rowid, text) SELECT id, ? FROM docs WHERE session = ? AND ts = 0")
    .run(text, session);
}

test("of each session a match is found, however many the newest have", () =>
  grounds(async (archive) => {
    const { pk } = archive.sqlite.prepare("SELECT max(pk) AS pk FROM sessions").get() as { pk: number };
    crowd(archive, pk, "a plank");
    for (const q of ["agent:claude", "-barnacles", "tokens:>0"])
      for (const facets of ["0", "1"]) {
        const { hits, ...found } = await search(archive, q, { by: "session", facets });
        expect(
          hits.map(({ session }) => session.project),
          q,
        ).toEqual(["/work/lighthouse", "/work/harbour"]);
        expect(found, q).toMatchObject({ sessions: 2, isWhole: true });
      }
    const second = await search(archive, "agent:claude", { by: "session", facets: "0", offset: 1 });
    expect(second.hits.map(({ session }) => session.project)).toEqual(["/work/harbour"]);
    // Of matches alone the newest are shown, and the answer says so.
    expect((await search(archive, "agent:claude", { facets: "0" })).isWhole).toBe(false);
  }));

const listed = async (archive: Archive, q: string): Promise<string[]> =>
  (await listSessions(archive, sessionsQuery.parse({ q }))).sessions.map(({ cwd }) => cwd!.split("/").at(-1)!);

test("a regular expression is tried on more than is ranked, and a list says when the time ended before", () =>
  grounds(async (archive) => {
    const { pk } = archive.sqlite.prepare("SELECT max(pk) AS pk FROM sessions").get() as { pk: number };
    crowd(archive, pk, "a plank");
    const list = () => listSessions(archive, sessionsQuery.parse({ q: "/moorings/" }));
    expect(await list()).toMatchObject({ total: 1, isWhole: true });
    let ms = 0;
    const clock = vi.spyOn(performance, "now").mockImplementation(() => (ms += 1000));
    try {
      expect(await list()).toMatchObject({ total: 0, isWhole: false });
    } finally {
      clock.mockRestore();
    }
  }));

test("the list of sessions takes the same query, and finds words that are not indexed yet", () =>
  grounds(async (archive, dir) => {
    for (const [q, names] of [
      ["mooring break", ["harbour"]],
      ["barna", ["lighthouse"]],
      ["tool:read", ["harbour"]],
      ["project:lighthouse", ["lighthouse"]],
      ["-project:lighthouse", ["harbour"]],
      ["is:error file:nothing.ts", []],
      [String.raw`/count is \d+/`, ["lighthouse"]],
      ["project:harbour barnacles", []],
    ] as const)
      expect(await listed(archive, q), q).toEqual(names);
    const { hits, sessions } = await listSessions(archive, sessionsQuery.parse({ q: "is:error" }));
    expect([hits, sessions[0]!.hit]).toEqual([1, 5]);
    await expect(listed(archive, "tokens:many")).rejects.toThrow("Write tokens:>5k");
    const late = records(3, "/work/late", "A dinghy drifts", []).map((one) => `${JSON.stringify(one)}\n`);
    await importPaths(archive, [put(`${dir}/logs`, "c.jsonl", late.join(""))]);
    expect(await listed(archive, "dinghy")).toEqual(["late"]);
    expect(await listed(archive, "dinghy project:late")).toEqual(["late"]);
    expect(await listed(archive, "dinghy project:harbour")).toEqual([]);
  }));

test("the find of a session and the list of artifacts take fields", () =>
  grounds(async (archive) => {
    const { hits } = await search(archive, "moorings");
    const find = async (q: string) => (await findInSession(archive, hits[0]!.session.id, q)).seqs;
    expect(await find("type:call")).toEqual([2, 4]);
    expect(await find('"no such file" is:error')).toEqual([5]);
    expect(await find("project:lighthouse type:call")).toEqual([]);
    const artifacts = async (q: string) => (await listArtifacts(archive, artifactsQuery.parse({ q }))).total;
    expect(await artifacts("tool:Bash barnacle")).toBe(1);
    expect(await artifacts("project:lighthouse")).toBe(1);
    expect(await artifacts("tool:Read")).toBe(0);
  }));

test("a removed session and a deleted artifact leave the index, before and after it is brought up to date", () =>
  grounds(async (archive) => {
    const before = await search(archive, "barnacle count type:output");
    await deleteArtifact(archive, before.hits[0]!.artifact!);
    expect(await search(archive, "barnacle count type:output")).toMatchObject({ hits: [], total: 0 });
    expect((await search(archive, "Count the barnacles")).total).toBe(1);
    await fillIndex(archive);
    expect((await search(archive, "barnacle count type:output")).total).toBe(0);
    await removeSession(archive, before.hits[0]!.session.id);
    expect(await search(archive, "barnacles")).toMatchObject({ hits: [], total: 0, facets: { projects: [] } });
    expect(isIndexDue(archive)).toBe(false);
  }));

test("a session that grows is indexed from where it was, one that is rewritten anew, and the state is told", () =>
  grounds(async (archive, dir) => {
    const longer = (word: string) =>
      [
        ...records(1, "/work/harbour", `Why do the ${word} keep breaking?`, [
          ["Bash", { command: "ls" }, "a capstan"],
          ["Bash", { command: "ls" }, "a windlass"],
        ]),
      ]
        .map((one) => `${JSON.stringify(one)}\n`)
        .join("");
    await importPaths(archive, [put(`${dir}/logs`, "a.jsonl", longer("buoys"))]);
    expect((await search(archive, "x")).index).toEqual({ sessions: 1, of: expect.any(Number) });
    await fillIndex(archive);
    expect(await foundIn(archive, "buoys")).toEqual([["harbour", "user", 1]]);
    expect(await foundIn(archive, "windlass")).toHaveLength(1);
    expect((await search(archive, "x")).index.sessions).toBe((await search(archive, "x")).index.of);
  }));

test("a damaged index, and one of another version, is made anew, for its owner alone", () =>
  withRecords({ "a.jsonl": records(1, "/work/a", "A question", []) }, async (archive, dir) => {
    const path = searchPath(`${dir}/archive`);
    writeFileSync(path, "this is no database, and longer than the head of one would be".repeat(100), { mode: 0o644 });
    await fillIndex(archive);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect((await search(archive, "question")).total).toBe(1);
  }));

test("an archive without an index answers that nothing is indexed", () =>
  withRecords({ "a.jsonl": records(1, "/work/a", "A question", []) }, async (archive) => {
    expect(await search(archive, "question")).toMatchObject({ hits: [], total: 0, index: { sessions: 0, of: 1 } });
  }));
