// Regular expressions, commits and pull requests find on a fleet what they find on the machine that sent its sessions, and nothing of
// a project that somebody does not see.
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { Archive } from "#lib/archive/base/archive-type.ts";
import { importPaths } from "#lib/archive/import/import-paths.ts";
import { fillIndex } from "#lib/archive/search/fill-index.ts";
import { searchArchive } from "#lib/archive/search/search-archive.ts";
import { listArtifacts } from "#lib/archive/sessions/list-artifacts.ts";
import { listSessions } from "#lib/archive/sessions/list-sessions.ts";
import { inFolder, NOW, put, testHost, withArchive } from "#lib/archive/testing-archive.ts";
import { skippedFor } from "#lib/blobs/testing-services.ts";
import { artifactsQuery } from "#lib/wire/artifacts-schema.ts";
import { searchQuery, type SearchAnswer } from "#lib/wire/search-schema.ts";
import { sessionsQuery } from "#lib/wire/sessions-schema.ts";
import type { FleetNode } from "../fleet-node.ts";
import type { Fleet } from "../open-fleet.ts";
import { openTestFleet, testFleet } from "../testing-fleet.ts";
import { sendAll } from "../testing-sender.ts";
import { fleetAnswers } from "./fleet-answers.ts";

const services = await testFleet();
const uuid = (n: number): string => `00000000-0000-4000-8000-${n.toString(16).padStart(12, "0")}`;

type Ran = readonly [command: string, output: string];

/** A session of Claude Code: a question, then commands with their outputs. */
function linesOf(id: number, cwd: string, question: string, ran: readonly Ran[]): string {
  let n = 0;
  const next = () => ({
    ...{ sessionId: uuid(id), cwd, version: "2.1.0", gitBranch: "main", isSidechain: false, userType: "external" },
    ...{ uuid: uuid(id * 1000 + ++n), parentUuid: n === 1 ? null : uuid(id * 1000 + n - 1) },
    timestamp: new Date(NOW - 3_600_000 * id + n * 1000).toISOString(),
  });
  const usage = { input_tokens: 10, output_tokens: 10, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 };
  const message = { type: "message", role: "assistant", model: "claude-sonnet-4-5", usage };
  const records = [
    { type: "user", ...next(), message: { role: "user", content: question } },
    ...ran.flatMap(([command, output], i) => {
      const id = `t${n}`;
      const content = [{ type: "tool_use", id, name: "Bash", input: { command } }];
      const result = [{ type: "tool_result", tool_use_id: id, content: output, is_error: false }];
      return [
        { type: "assistant", ...next(), message: { ...message, id: `m${cwd}${i}`, content } },
        { type: "user", ...next(), message: { role: "user", content: result } },
      ];
    }),
  ];
  return records.map((one) => `${JSON.stringify(one)}\n`).join("");
}

const LONG = `${"a plank of the pier\n".repeat(5000)}the barnacle count is 17\n${"another plank\n".repeat(100)}`;

const HARBOUR = linesOf(1, "/work/harbour", "Why do the moorings keep breaking?", [
  ["git commit -am x", "[tides 1a2b3c4] Chart the reef\n 1 file changed"],
  ["gh pr create --fill", "https://github.com/Sailor/harbour/pull/12\n"],
  ["cat pier.log", LONG],
  ["npm test", "Error: no such file, timed out after 300 ms"],
]);
const LIGHTHOUSE = linesOf(2, "/work/lighthouse", "The barnacle count is 99, or so they say", [
  ["git commit -am y", "[main 9f8e7d6c] Trim the lamp"],
  ["gh pr create --fill", "https://github.com/keeper/lamp/pull/12\n"],
]);

const QUERIES = [
  ...[String.raw`/count is \d+/`, "/COUNT IS/i", String.raw`/count is \d+/ type:output`, "-/moorings/ type:user"],
  ...[String.raw`barnacle /\b1\d\b/`, "/no such (thing|file)/", "/timed out after [0-9]+ ms$/", "/plank.*pier/"],
  ...["project:lighthouse /barnacle/", "/nothing like it/", "/a/ /e/", "/./ is:error", "tool:Bash /TIDES/i"],
  ...["commit:1a2b", "commit:1A2B3C4D5E6F", "commit:beef456", "pr:12", "pr:#12", "pr:2", "pr:sailor/harbour"],
  ...["pr:sailor/harbour#12", "pr:sailor/harbour#2", "pr:lor/harbour#12", "-commit:1a2b3c4 type:user", "-pr:12 plank"],
  ...["commit:9f8e7d6 commit:1a2b3c4 type:user", "commit:1a2b3c4 /count/", "pr:keeper /say/ type:user"],
];

const ids = (answer: { readonly sessions: readonly { readonly id: string }[] }): string[] =>
  answer.sessions.map(({ id }) => id).toSorted();
const hitsOf = ({ hits }: SearchAnswer): string[] =>
  hits.map(({ session, seq, kind, snippet }) =>
    // A long output is stored, too, and which of its pieces is shown is not the same.
    JSON.stringify([session.id, seq, ...(["artifact", "tool_result"].includes(kind) ? ["output"] : [kind, snippet])]),
  );

describe.skipIf("missing" in services)(`patterns on a fleet${skippedFor(services)}`, () => {
  let fleet: Fleet;
  beforeAll(async () => {
    fleet = await openTestFleet((services as Extract<typeof services, { address: object }>).address);
  });
  afterAll(() => fleet.close());

  const sent = (run: (both: Archive, node: FleetNode) => Promise<void>) =>
    inFolder((dir) => {
      const open = (name: string, then: (archive: Archive) => Promise<void>) =>
        withArchive(join(dir, name), then, testHost());
      const [harbour, lighthouse] = [put(dir, "a/a.jsonl", HARBOUR), put(dir, "b/b.jsonl", LIGHTHOUSE)];
      return open("both", (both) =>
        open("a", (one) =>
          open("b", (other) =>
            open("cache", async (cache) => {
              await importPaths(both, [harbour, lighthouse]);
              await importPaths(one, [harbour]);
              await importPaths(other, [lighthouse]);
              await fillIndex(both);
              await sendAll(fleet, one, cache, "team");
              await run(both, await sendAll(fleet, other, cache, "other"));
            }),
          ),
        ),
      );
    });

  test("and commits find what they find on one machine", { timeout: 120_000 }, () =>
    sent(async (both, node) => {
      let found = 0;
      for (const q of QUERIES) {
        const asked = searchQuery.parse({ q, limit: 100, sort: "newest" });
        const [own, theirs] = [await searchArchive(both, asked), await node.answers.search(asked, "all")];
        const figures = ({ total, sessions, isWhole, facets, order }: SearchAnswer) => ({
          total,
          sessions,
          isWhole,
          facets,
          order,
        });
        expect([q, figures(theirs), hitsOf(theirs)]).toEqual([q, figures(own), hitsOf(own)]);
        // Fewer, where words that the pattern needs leave some out.
        const { scanned } = theirs;
        expect([q, scanned === null, scanned?.matches]).toEqual([q, own.scanned === null, scanned?.of]);
        expect(scanned?.of ?? 0).toBeLessThanOrEqual(own.scanned?.of ?? 0);
        const listed = sessionsQuery.parse({ q, sums: "1" });
        const [rows, hers] = [await listSessions(both, listed), await node.listSessions(listed, "all")];
        expect([q, ids(hers), hers.hits, hers.isWhole, hers.total]).toEqual([
          q,
          ids(rows),
          rows.hits,
          rows.isWhole,
          rows.total,
        ]);
        expect([q, hers.sessions.map(({ hit }) => hit)]).toEqual([q, rows.sessions.map(({ hit }) => hit)]);
        const stored = artifactsQuery.parse({ q });
        const pointers = (answer: Awaited<ReturnType<typeof listArtifacts>>) =>
          answer.artifacts.map(({ pointer }) => pointer);
        expect([q, pointers(await node.answers.artifacts(stored, "all"))]).toEqual([
          q,
          pointers(await listArtifacts(both, stored)),
        ]);
        found += theirs.total;
      }
      expect(found).toBeGreaterThan(40);
      await expect(node.answers.search(searchQuery.parse({ q: "/(a/" }), "all")).rejects.toThrow("cannot be used");
      await expect(node.listSessions(sessionsQuery.parse({ q: "/(a/" }), "all")).rejects.toThrow("cannot be used");
      await expect(node.answers.artifacts(artifactsQuery.parse({ q: "/(a/" }), "all")).rejects.toThrow(
        "cannot be used",
      );
    }),
  );

  test("of another project say nothing: no hit, no count, and not how many were tried", () =>
    sent(async (_, node) => {
      const search = (q: string, visible: readonly string[]) => node.answers.search(searchQuery.parse({ q }), visible);
      const one = { total: 1, sessions: 1, scanned: { matches: 1, of: 1, hasOlder: false, isWhole: true } };
      expect(await search("type:user /barnacle count/", ["other"])).toMatchObject(one);
      const none = { total: 0, sessions: 0, hits: [], isWhole: true };
      const untried = { ...none, scanned: { matches: 0, of: 0, isWhole: true } };
      expect(await search("/barnacle/", ["elsewhere"])).toMatchObject({
        ...untried,
        facets: { projects: [], tools: [] },
      });
      expect(await search("/barnacle/ project:harbour", ["other"])).toMatchObject(untried);
      for (const q of ["commit:1a2b3c4", "pr:harbour"]) expect(await search(q, ["other"])).toMatchObject(none);
      for (const q of ["/moorings/", "commit:1a2b3c4", "pr:sailor/harbour#12"]) {
        const listed = await node.listSessions(sessionsQuery.parse({ q }), ["other"]);
        expect([q, listed]).toEqual([q, expect.objectContaining({ total: 0, sessions: [], isWhole: true })]);
        const stored = await node.answers.artifacts(artifactsQuery.parse({ q }), ["other"]);
        expect([q, stored.total]).toEqual([q, 0]);
      }
    }));

  test("end after their time, and say so", () =>
    sent(async (_, node) => {
      let ms = 0;
      const clock = vi.spyOn(performance, "now").mockImplementation(() => (ms += 1000));
      try {
        const answer = await node.answers.search(searchQuery.parse({ q: "/barnacle/" }), ["other"]);
        expect(answer).toMatchObject({ total: 0, isWhole: false, scanned: { isWhole: false } });
        expect(answer.scanned!.of).toBeGreaterThan(answer.scanned!.matches);
        const listed = await node.listSessions(sessionsQuery.parse({ q: "/barnacle/" }), ["other"]);
        expect(listed).toMatchObject({ total: 0, isWhole: false });
      } finally {
        clock.mockRestore();
      }
    }));

  test("what a session made goes with it", () =>
    sent(async () => {
      const made = () => fleet.sql`SELECT project, kind, value FROM session_made ORDER BY 1, 2, 3`;
      expect((await made()).map((row) => Object.values(row).join(" "))).toEqual([
        ...["other commit 9f8e7d6c", "other pr https://github.com/keeper/lamp/pull/12"],
        ...["team commit 1a2b3c4", "team pr https://github.com/Sailor/harbour/pull/12"],
      ]);
      // As a node of an older schema deletes.
      await fleet.sql`DELETE FROM sessions WHERE project = 'team'`;
      expect(await made()).toHaveLength(2);
    }));

  test("are tried on the newest 50,000 texts that they could be in", { timeout: 120_000 }, async () => {
    const { sql } = fleet;
    const answers = fleetAnswers(fleet, { host: testHost(), searcher: null });
    await sql`INSERT INTO sessions (project, id, family, native_id, format, agent, title, started_at, ended_at,
        turns, calls, compactions, artifacts, own_calls, own_tokens, own_unsure, row)
      SELECT p, p || '-many', p || '-many', p || '-many', 'codex', 'Codex', 'title', 1, 1, 1, 1, 0, 0, 1, 1, false, '{}' FROM unnest(ARRAY['many', 'few']) p`;
    await sql`INSERT INTO session_texts (project, session, seq, piece, kind, tool, at, tokens, is_error, text, words)
      SELECT p, p || '-many', n, 0, 'user', '', n, 10, false, text, to_tsvector('plimsoll', text)
      FROM (SELECT 'many' AS p, n, CASE WHEN n = 1 THEN 'the seldom seen eel 7' ELSE 'the eels' END AS text FROM generate_series(1, 50001) n
        UNION ALL SELECT 'few', 1, 'the seldom seen eel 7') d`;
    await sql`ANALYZE`;
    const clock = vi.spyOn(performance, "now").mockReturnValue(1);
    try {
      const search = (q: string, project: string) => answers.search(searchQuery.parse({ q }), [project]);
      const cut = { matches: 50_000, of: 50_000, hasOlder: true, isWhole: false };
      expect(await search("/eel 7/", "many")).toMatchObject({
        total: 0,
        isWhole: false,
        scanned: cut,
      });
      // A word that has to be there leaves few.
      const whole = { total: 1, isWhole: true, scanned: { matches: 1, of: 1, hasOlder: false, isWhole: true } };
      expect(await search("/the seldom seen/", "many")).toMatchObject(whole);
      expect(await search("/eel 7/", "few")).toMatchObject(whole);
      expect(await search("/eels/", "many")).toMatchObject({ total: 50_000, isWhole: false, scanned: cut });
    } finally {
      clock.mockRestore();
    }
  });
});
