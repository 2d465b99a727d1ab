// The tools through the real gate: hostile programs and patterns, what a token may not see, and what nobody may break.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { closeArchive, openArchive } from "#lib/archive/archive.ts";
import type { Archive } from "#lib/archive/base/archive-type.ts";
import { createSession } from "#lib/archive/artifacts/create-session.ts";
import { storeArtifact } from "#lib/archive/artifacts/store-artifact.ts";
import { testHost } from "#lib/archive/testing-archive.ts";
import { createToken } from "#lib/archive/settings/access-tokens.ts";
import { awaitedProcessorMs } from "#lib/kernel/testing-processor-time.ts";
import { toolAnswer, toolsAnswer } from "#lib/wire/tools-schema.ts";
import { withDoors, type Ask, type DoorServer } from "./testing-http.ts";

const dir = mkdtempSync(join(tmpdir(), "plimsoll-tools-"));
let archive: Archive;
const refs: Record<"json" | "line" | "log", string> = { json: "", line: "", log: "" };

beforeAll(async () => {
  archive = await openArchive({ dir, host: testHost() });
  await createSession(archive, { id: "mine" });
  await createSession(archive, { id: "other" });
  const put = async (text: string, name: string, session = "mine") =>
    (await storeArtifact(archive, { session, name }, Buffer.from(text))).pointer;
  refs.json = await put(JSON.stringify({ rows: [{ score: 0.1 }, { score: 0.9 }], env: "kept" }), "json");
  refs.line = await put("a".repeat(10 * 1024 * 1024), "line");
  refs.log = await put("hit\n".repeat(100_000), "log");
  await put('{"secret":1}', "secret", "other");
});
afterAll(async () => {
  await closeArchive(archive);
  rmSync(dir, { recursive: true, force: true });
});

async function call(server: DoorServer, name: string, input: unknown, init: Ask & { session?: string } = {}) {
  const { session = "mine", ...ask } = init;
  const response = await server.ask("POST", `/api/tools/${name}?session=${session}`, { json: input, ...ask });
  return { status: response.status, ...toolAnswer.parse(await response.json()) };
}

test("the tools are told with their schemas", () =>
  withDoors(archive, async (server) => {
    const { tools } = toolsAnswer.parse(await (await server.ask("GET", "/api/tools")).json());
    expect(tools.map((tool) => tool.name)).toContain("artifact_jq");
    for (const tool of tools) expect(tool.inputSchema).toMatchObject({ type: "object", additionalProperties: false });
    expect((await server.ask("POST", "/api/tools/rm", { json: {} })).status).toBe(404);
    expect((await server.ask("POST", "/api/tools/constructor", { json: {} })).status).toBe(404);
  }));

const PROGRAMS = [
  "def f: f; f",
  "last(range(1e12))",
  "[range(1e9)]",
  'reduce range(40) as $i ("a"; . + .)',
  "reduce range(20000) as $i ({}; {a: .}) | .. | numbers",
  '"x" * 1e9',
  "input",
  "$ENV.HOME",
  "env | length",
  'include "x"; .',
  'import "/etc/passwd" as $d; .',
  "input_filename",
  "halt_error",
  "@sh",
  "getpath([range(1e5)])",
  "x".repeat(4097),
  "x".repeat(70_000),
  ".\0",
];

const PATTERNS: readonly (readonly [string, string[]])[] = [
  ["^(a+)+$", []],
  ["(a|aa)+$", []],
  ["(.*a){20}", []],
  ["((a{1,100}){1,100}){1,100}", []],
  ["(?=a)b", []],
  ["\\1", []],
  ["[", []],
  ["x".repeat(1024 * 1024), []],
  ["a", ["-r"]],
  ["a", ["--file=/etc/passwd"]],
  ["a", ["-f", "/etc/passwd"]],
  ["a", ["/etc/passwd"]],
];

/**
 * Asks for health all the while; the 99th percentile of its times when `run` is done. Time is this thread's own work, which
 * is what an answer waits for.
 */
async function healthWhile(server: DoorServer, run: () => Promise<void>): Promise<number> {
  const times: number[] = [];
  const over = new AbortController();
  const asking = (async () => {
    while (!over.signal.aborted) {
      times.push(await awaitedProcessorMs(async () => (await server.ask("GET", "/api/health")).arrayBuffer()));
      await new Promise((resume) => setTimeout(resume, 10));
    }
  })();
  await run();
  over.abort();
  await asking;
  times.sort((a, b) => a - b);
  return times[Math.floor(times.length * 0.99)] ?? 0;
}

describe("whatever is asked of them", () => {
  test("a hostile jq program ends, the next call works, and health answers in time", { timeout: 180_000 }, () =>
    withDoors(archive, async (server) => {
      const p99 = await healthWhile(server, async () => {
        for (const expression of PROGRAMS) {
          const from = performance.now();
          const hostile = await call(server, "artifact_jq", { artifact_id: "json", expression });
          expect([expression.slice(0, 40), hostile.status]).toEqual([expression.slice(0, 40), 200]);
          expect(performance.now() - from).toBeLessThan(8000);
          expect(hostile.text).not.toMatch(/root:|\/root|PATH=/);
          const next = await call(server, "artifact_jq", { artifact_id: "json", expression: ".rows | length" });
          expect([expression.slice(0, 40), next.text]).toEqual([expression.slice(0, 40), "2"]);
        }
      });
      expect(p99).toBeLessThan(250);
    }),
  );

  test("a program that never ends is said to have timed out after 5 s", { timeout: 30_000 }, () =>
    withDoors(archive, async (server) => {
      expect(await call(server, "artifact_jq", { artifact_id: "json", expression: "def f: f; f" })).toMatchObject({
        text: "jq: timed out after 5 s",
        isError: true,
      });
      expect((await call(server, "artifact_jq", { artifact_id: "json", expression: "[range(1e9)]" })).text).toMatch(
        /^jq: (timed out after 5 s|.*memory)/i,
      );
    }),
  );

  test(
    "a hostile grep pattern over a line of 10 MB ends, the next call works, and health answers in time",
    { timeout: 120_000 },
    () =>
      withDoors(archive, async (server) => {
        const p99 = await healthWhile(server, async () => {
          for (const [pattern, grep_options] of PATTERNS) {
            const from = performance.now();
            const hostile = await call(server, "artifact_grep", { artifact_id: "line", pattern, grep_options });
            expect([pattern.slice(0, 30), hostile.status]).toEqual([pattern.slice(0, 30), 200]);
            expect(performance.now() - from).toBeLessThan(8000);
            expect(hostile.text).not.toContain("root:");
            expect(
              await call(server, "artifact_grep", { artifact_id: "json", pattern: "rows", grep_options: ["-c"] }),
            ).toMatchObject({
              text: "1",
            });
          }
        });
        expect(p99).toBeLessThan(250);
      }),
  );

  test("options of grep that name files are named and refused", () =>
    withDoors(archive, async (server) => {
      for (const [option, result] of [
        ["-r", "-r"],
        ["-f", "-f"],
        ["--include=*", "--include=*"],
        ["/etc", "/etc"],
      ] as const)
        expect(
          await call(server, "artifact_grep", { artifact_id: "log", pattern: "a", grep_options: [option] }),
        ).toMatchObject({
          text: `option not allowed: ${result}`,
          isError: true,
        });
    }));

  test(
    "100,000 matches, results without end and 10 MB in one line come bounded, and say how much is left",
    { timeout: 60_000 },
    () =>
      withDoors(archive, async (server) => {
        const grep = await call(server, "artifact_grep", { artifact_id: "log", pattern: "hit" });
        expect(grep.text.split("\n")).toHaveLength(201);
        expect(grep.text.endsWith("\n[99800 more matches omitted]")).toBe(true);
        const jq = await call(server, "artifact_jq", { artifact_id: "json", expression: "range(100000)" });
        const cut = /\n\[output truncated: (\d+) more bytes\]$/.exec(jq.text)!;
        expect(jq.text.length - cut[0].length + Number(cut[1])).toBeGreaterThanOrEqual(588_889);
        expect(jq.bytes).toBeLessThanOrEqual(65_536);
        const read = await call(server, "artifact_read", { artifact_id: "line" });
        expect(read.text.slice(65_536)).toBe(
          "\n[chars 0–65536 of 10485760 in line 1; continue with start_line=1, start_char=65536]",
        );
      }),
  );
});

describe("for a person", () => {
  test("grep answers in fields, jq in text, and what is wrong has one of the six codes", { timeout: 60_000 }, () =>
    withDoors(archive, async (server) => {
      const get = async (path: string) => {
        const response = await server.ask("GET", path);
        return { status: response.status, body: (await response.json()) as Record<string, unknown> };
      };
      const at = (name: "json" | "log", door: string, query: Record<string, string>) =>
        get(`/api/artifacts/${encodeURIComponent(refs[name])}/${door}?${new URLSearchParams(query).toString()}`);
      const found = await at("log", "grep", { pattern: "HIT", options: "-i -m 3" });
      expect(found.body).toMatchObject({ matches: 3, omitted: 0, lines: [{ line: 1, text: "hit" }, {}, {}] });
      expect((await at("log", "grep", { pattern: "(" })).status).toBe(400);
      expect((await at("log", "grep", { pattern: "a", options: "-r" })).body).toMatchObject({
        error: { code: "invalid", message: "option not allowed: -r" },
      });
      expect((await at("json", "jq", { program: ".rows[] | .score" })).body).toMatchObject({
        output: "0.1\n0.9\n",
        truncated: false,
      });
      expect((await at("json", "jq", { program: ".a |" })).status).toBe(400);
      expect((await at("log", "jq", { program: "." })).status).toBe(422);
      expect((await get("/api/artifacts/art%3A00000000-0000-4000-8000-000000000000/jq?program=.")).status).toBe(404);
      const long = `. # ${"x".repeat(60_000)}`;
      const request = {
        program: "$x, $n, {b, a: 1}, (input | length)",
        nullInput: "1",
        sortKeys: "1",
        args: '{"x":"y"}',
      };
      expect((await at("json", "jq", { ...request, jsonArgs: '{"n":"[2]"}' })).body).toMatchObject({
        output: '"y"\n[2]\n{"a":1,"b":null}\n2\n',
      });
      expect((await at("json", "jq", { program: ".env", compact: "0", args: "no" })).status).toBe(400);
      const posted = await server.ask("POST", `/api/artifacts/${encodeURIComponent(refs.json)}/jq`, {
        json: { program: long },
      });
      expect([posted.status, (await posted.json()) as object]).toEqual([
        200,
        expect.objectContaining({ truncated: false }),
      ]);
    }),
  );

  test.each([
    ["/api/artifacts", ["q", "tool", "type", "session", "sort", "dir", "limit", "offset", "state", "origin"]],
    ["/api/sessions", ["q", "sort", "dir", "limit", "offset"]],
    ["/api/artifacts/REF/grep", ["pattern", "options"]],
    ["/api/artifacts/REF/lines", ["from", "count"]],
  ])("hostile words in a query of %s are data or refused, never a failure", { timeout: 60_000 }, (path, fields) =>
    withDoors(archive, async (server) => {
      const words = [
        '" OR 1=1 --',
        "*",
        '"a',
        "NEAR(",
        `a* OR ${"b* OR ".repeat(300)}c`,
        "%".repeat(2000),
        "1;drop table artifacts",
        "-1",
        "1e99",
        "\u0000",
        "__proto__",
        "\ud800",
      ];
      for (const field of fields)
        for (const word of words) {
          const query = new URLSearchParams(path.endsWith("grep") ? { pattern: "a" } : {});
          query.set(field, word);
          const from = performance.now();
          const response = await server.ask(
            "GET",
            `${path.replace("REF", encodeURIComponent(refs.log))}?${query.toString()}`,
          );
          await response.arrayBuffer();
          expect([field, word.slice(0, 20), [200, 400, 404].includes(response.status)]).toEqual([
            field,
            word.slice(0, 20),
            true,
          ]);
          expect(performance.now() - from).toBeLessThan(3000);
        }
      // No endpoint has such a parameter.
      expect((await server.ask("GET", "/api/artifacts?__proto__[x]=1&filter[__proto__][x]=1")).status).toBe(400);
      expect(Object.keys(Object.prototype)).toEqual([]);
      expect(archive.sqlite.prepare("SELECT count(*) FROM artifacts").pluck().get()).toBeGreaterThanOrEqual(4);
    }),
  );
});

describe("for a token of one session", () => {
  test("no tool finds, lists or names what is another's, and asking in another's name is the same as in nobody's", () =>
    withDoors(archive, async (server) => {
      const secret = archive.sqlite.prepare("SELECT pointer, digest FROM artifacts WHERE name = 'secret'").get() as {
        pointer: string;
        digest: string;
      };
      const { token } = await createToken(archive, { name: "agent", scope: "write", session: "mine" });
      const none = "art:00000000-0000-4000-8000-000000000000";
      for (const [tool, input] of [
        ["artifact_read", (ref: string) => ({ artifact_id: ref })],
        ["artifact_grep", (ref: string) => ({ artifact_id: ref, pattern: "secret" })],
        ["artifact_jq", (ref: string) => ({ artifact_id: ref, expression: "." })],
        ["getArtifact", (ref: string) => ({ pointerOrName: ref })],
        ["read_file", (ref: string) => ({ path: ref })],
      ] as const)
        for (const ref of [secret.pointer, `art_${secret.digest.slice(0, 16)}`, `sha256:${secret.digest}`]) {
          const seen = await call(server, tool, input(ref), { token });
          const unseen = await call(server, tool, input(none), { token });
          expect(seen.text.replaceAll(ref, "X")).toBe(unseen.text.replaceAll(none, "X"));
        }
      for (const tool of ["artifact_list", "listArtifacts"])
        expect((await call(server, tool, {}, { token })).text).not.toContain("secret");
      const request = await server.ask("POST", "/api/tools/artifact_list?session=other", { json: {}, token });
      const never = await server.ask("POST", "/api/tools/artifact_list?session=nobody", { json: {}, token });
      expect([request.status, await request.text()]).toEqual([never.status, await never.text()]);
      expect(request.status).toBe(404);
      const unnamed = await server.ask("POST", "/api/tools/artifact_list", { json: {}, token });
      expect(await unnamed.text()).not.toContain("secret");
    }));

  test("one that only reads stores nothing", () =>
    withDoors(archive, async (server) => {
      const { token } = await createToken(archive, { name: "reader", scope: "read", session: "mine" });
      for (const tool of ["artifact_store", "storeArtifact"]) {
        const response = await server.ask("POST", `/api/tools/${tool}?session=mine`, {
          json: { name: "no", value: "no" },
          token,
        });
        expect(response.status).toBe(403);
        expect(await response.text()).toContain("may only read");
      }
      expect((await call(server, "getArtifact", { pointerOrName: "json" }, { token })).isError).toBe(false);
    }));

  test("its readings are noted under its name", () =>
    withDoors(archive, async (server) => {
      const { token, id } = await createToken(archive, { name: "noted", scope: "read", session: "mine" });
      await call(server, "getArtifact", { pointerOrName: "json" }, { token });
      await expect
        .poll(() => archive.sqlite.prepare("SELECT who FROM artifact_reads ORDER BY pk DESC LIMIT 1").pluck().get())
        .toBe(`token:${id}`);
    }));
});

test("an argument that a token pins leaves the schema of its agent's tools and wins over what the model says", () =>
  withDoors(archive, async (server) => {
    const { token } = await createToken(archive, {
      session: "plimsoll:mine",
      arguments: { artifact_read: { artifact_id: "json" } },
    });
    const { tools } = toolsAnswer.parse(await (await server.ask("GET", "/api/tools?session=mine", { token })).json());
    const { inputSchema } = tools.find(({ name }) => name === "artifact_read")!;
    expect(inputSchema["properties"]).not.toHaveProperty("artifact_id");
    const answer = await call(server, "artifact_read", { artifact_id: "log" }, { token });
    expect([answer.isError, answer.text.includes("kept")]).toEqual([false, true]);
    // Everybody else says it himself.
    expect((await call(server, "artifact_read", { artifact_id: "log" })).text).toContain("hit");
  }));
