// The same answer over the library, HTTP and the command line, for every tool and for what it refuses.
import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createSession } from "#lib/archive/artifacts/create-session.ts";
import { storeArtifact } from "#lib/archive/artifacts/store-artifact.ts";
import { inFolder, withArchive } from "#lib/archive/testing-archive.ts";
import { withDoors } from "#lib/http/testing-http.ts";
import { TOOLS } from "#lib/tools/index.ts";
import { runTool } from "#lib/tools/run-tool.ts";
import type { ToolAnswer } from "#lib/wire/tools-schema.ts";
import { entryOf } from "../scripts/bundle.mjs";

const rows = JSON.stringify({ rows: Array.from({ length: 50 }, (_, id) => ({ id, score: id / 50 })), next: null });

/** A question of each tool, and some that are refused. */
const ASKED: readonly (readonly [tool: string, input: unknown])[] = [
  ["artifact_read", { artifact_id: "rows" }],
  ["artifact_read", { artifact_id: "log", start_line: 100, end_line: 120 }],
  ["artifact_read", { artifact_id: "log", start_line: 100 }],
  ["artifact_read", { artifact_id: "rows", encoding: "base64", max_chars: 20 }],
  ["artifact_read", { artifact_id: "nobody" }],
  ["artifact_read", { artifact_id: "log", start_line: 0 }],
  ["artifact_grep", { artifact_id: "log", pattern: "line 1?7$", grep_options: ["-n", "-A", "1"] }],
  ["artifact_grep", { artifact_id: "log", pattern: "x", grep_options: ["-r"] }],
  ["artifact_grep", { artifact_id: "log", pattern: "zzz" }],
  ["artifact_jq", { artifact_id: "rows", expression: ".rows[] | select(.score > 0.9)" }],
  ["artifact_jq", { artifact_id: "log", expression: "." }],
  ["artifact_jq", { artifact_id: "rows", expression: ".rows | error" }],
  ["artifact_list", { name_contains: "o" }],
  ["search_sessions", { query: "rows" }],
  ["read_session", { max_chars: 500 }],
  ["read_session", { session: "nothing" }],
  ["why_full", {}],
  ["context_at", { heaviest: true }],
  ["compact_plan", {}],
  ["recall", { query: "line" }],
  ["getArtifact", { pointerOrName: "rows" }],
  ["listArtifacts", {}],
  ["read_file", { path: "/etc/hostname" }],
  ["artifact_store", { name: "new", value: "stored" }],
  ["storeArtifact", { name: "new", value: "stored" }],
  ["storeArtifact", { name: "new", value: "stored", __proto__x: 1 }],
];

/** Each storing has a pointer of its own. */
const masked = ({ text, ...rest }: ToolAnswer) => ({
  ...rest,
  text: text.replace(/^\{"pointer":"art:[0-9a-f-]{36}"/, '{"pointer":"art:…"'),
});

test("every tool is asked here", () => {
  expect(new Set(ASKED.map(([name]) => name))).toEqual(new Set(TOOLS.map((tool) => tool.name)));
});

test("library, HTTP and the command line give the same answers", { timeout: 120_000 }, () =>
  inFolder(async (base) => {
    const dir = join(base, "archive");
    const library: ToolAnswer[] = [];
    const http: ToolAnswer[] = [];
    await withArchive(dir, async (archive) => {
      const { id } = await createSession(archive, { id: "run" });
      await storeArtifact(archive, { session: id, name: "rows" }, Buffer.from(rows));
      const log = Array.from({ length: 900 }, (_, i) => `line ${i + 1}`).join("\n");
      await storeArtifact(archive, { session: id, name: "log" }, Buffer.from(log));
      for (const [name, input] of ASKED)
        library.push(await runTool(archive, name, input, { session: "run", who: "agent" }));
      // What the calls stored is not there yet when the next door lists.
      const forget = () =>
        archive.sqlite.exec("DELETE FROM artifact_names WHERE name = 'new'; DELETE FROM artifacts WHERE name = 'new'");
      forget();
      await withDoors(archive, async (server) => {
        for (const [name, input] of ASKED) {
          const response = await server.ask("POST", `/api/tools/${name}?session=run`, { json: input });
          expect(response.status).toBe(200);
          http.push((await response.json()) as ToolAnswer);
        }
      });
      forget();
    });
    expect(http.map(masked)).toEqual(library.map(masked));
    mkdirSync(join(base, "home"));
    const command = ASKED.map(([name, input]) => {
      const ran = spawnSync(
        process.execPath,
        [entryOf("bin/plimsoll.ts"), "tool", name, JSON.stringify(input), "--session", "run", "--json"],
        {
          env: {
            PATH: process.env["PATH"] ?? "",
            HOME: join(base, "home"),
            PLIMSOLL_ARCHIVE: dir,
            NODE_ENV: "test",
          },
        },
      );
      const answer = JSON.parse(ran.stdout.toString()) as ToolAnswer;
      expect([name, ran.status]).toEqual([name, answer.isError ? 1 : 0]);
      return answer;
    });
    expect(command.map(masked)).toEqual(library.map(masked));
  }),
);

test("what is read on the command line is noted, and a terminal is not commanded", { timeout: 60_000 }, () =>
  inFolder(async (base) => {
    const dir = join(base, "archive");
    await withArchive(dir, async (archive) => {
      const { id } = await createSession(archive, { id: "run" });
      await storeArtifact(archive, { session: id, name: "log" }, Buffer.from("\u001b]0;title\u0007\u001b[2Jred\n"));
    });
    const run = (...words: string[]) =>
      spawnSync(process.execPath, [entryOf("bin/plimsoll.ts"), ...words], {
        env: { PATH: process.env["PATH"] ?? "", HOME: base, PLIMSOLL_ARCHIVE: dir, NODE_ENV: "test" },
      });
    // A pipe gets the bytes as they are; what a terminal gets is in asking.ts, which `script` shows where it is installed.
    expect(run("read", "plimsoll:run/log").stdout.toString()).toBe("\u001b]0;title\u0007\u001b[2Jred\n");
    expect(run("grep", "plimsoll:run/log", "RED", "-ic").stdout.toString()).toBe("1\n");
    const program = `${process.execPath} ${entryOf("bin/plimsoll.ts")} cat plimsoll:run/log`;
    const shown = spawnSync("script", ["-qc", program, "/dev/null"], {
      env: { PATH: process.env["PATH"] ?? "", HOME: base, PLIMSOLL_ARCHIVE: dir, NODE_ENV: "test" },
    });
    if (shown.error !== undefined) console.warn("`script` is not installed: the terminal is not tested.");
    else expect(shown.stdout.toString()).toBe("<U+001B>]0;title<U+0007><U+001B>[2Jred\r\n");
    await withArchive(dir, async (archive) => {
      expect(archive.sqlite.prepare("SELECT who, tool, bytes FROM artifact_reads").all()).toEqual([
        { who: "command line", tool: "artifact_read", bytes: 18 },
        { who: "command line", tool: "artifact_grep", bytes: 1 },
      ]);
    });
  }),
);

test("one pattern searches many artifacts, grouped, and says what was not searched", { timeout: 60_000 }, () =>
  inFolder(async (base) => {
    const dir = join(base, "archive");
    const pointers: string[] = [];
    await withArchive(dir, async (archive) => {
      for (const session of ["one", "two"]) {
        await createSession(archive, { id: session });
        const put = async (name: string, bytes: Buffer) =>
          pointers.push((await storeArtifact(archive, { session, name }, bytes)).pointer);
        await put(`${session}.log`, Buffer.from(`calm\nstorm of ${session}\nstorm again\n`));
        await put("bell.bin", Buffer.from(Array.from({ length: 3000 }, (_, at) => (at * 37) % 256)));
      }
    });
    const run = (...words: string[]) => {
      const { stdout, stderr, status } = spawnSync(process.execPath, [entryOf("bin/plimsoll.ts"), "grep", ...words], {
        env: { PATH: process.env["PATH"] ?? "", HOME: base, PLIMSOLL_ARCHIVE: dir, NODE_ENV: "test" },
      });
      return { out: stdout.toString(), err: stderr.toString(), status };
    };
    const all = run("STORM", "--all", "-i", "--lines", "1");
    expect(all.status).toBe(0);
    expect(all.out).toContain(`one.log  ${pointers[0]}\n  2:storm of one\n  … 1 more line\n`);
    expect(all.out).toMatch(
      /4 lines in 2 of 2 artifacts that match; 2 of 4 searched in \d+ ms\.\nNot searched: 2 not text\.\n$/,
    );
    expect(run("storm", "--in", "plimsoll:two").out).not.toContain("one.log");
    const json = JSON.parse(run("storm", "--in", "plimsoll:two", "--in", pointers[0]!, "--json").out) as {
      found: { artifact: { name: string } }[];
      end: object;
    };
    expect(json.found.map(({ artifact }) => artifact.name)).toEqual(["two.log", "one.log"]);
    expect(json.end).toMatchObject({ artifacts: 3, matched: 2, matches: 4 });
    expect(run("(", "--all")).toMatchObject({ status: 1, out: "" });
    expect(run("storm").err).toContain("needs REF and PATTERN");
    expect(run("log", "storm", "--all").err).toContain("takes PATTERN alone");
    await withArchive(dir, async (archive) => {
      const tools = archive.sqlite.prepare("SELECT DISTINCT who || ' ' || tool FROM artifact_reads").pluck().all();
      expect(tools).toEqual(["command line grep"]);
    });
  }),
);

test("jq on the command line takes jq's options", { timeout: 60_000 }, () =>
  inFolder(async (base) => {
    const dir = join(base, "archive");
    await withArchive(dir, async (archive) => {
      const { id } = await createSession(archive, { id: "run" });
      await storeArtifact(archive, { session: id, name: "rows" }, Buffer.from('{"b":"x"}\n{"a":1,"b":"y"}\n'));
    });
    const jq = (...words: string[]): string => {
      const ran = spawnSync(process.execPath, [entryOf("bin/plimsoll.ts"), "jq", ...words], {
        env: { PATH: process.env["PATH"] ?? "", HOME: base, PLIMSOLL_ARCHIVE: dir, NODE_ENV: "test" },
      });
      return ran.stdout.toString() + ran.stderr.toString();
    };
    const rows = "plimsoll:run/rows";
    expect(jq(rows, ".b", "-r")).toBe("x\ny\n");
    expect(jq("-sc", rows, "length")).toBe("2\n");
    expect(jq("-n", rows, "[inputs.b]")).toBe('["x","y"]\n');
    expect(jq("-S", rows, "select(.a) | {b, a}")).toBe('{"a":1,"b":"y"}\n');
    expect(jq("--pretty", rows, "select(.a)")).toBe('{\n  "a": 1,\n  "b": "y"\n}\n');
    const named = ["--arg", "x", "--raw", "--argjson", "n", "[1,2]", "--arg", "y", "z"];
    expect(jq("-n", rows, "$x, $y, $n[1]", ...named)).toBe('"--raw"\n"z"\n2\n');
    expect(jq(rows, ".", "--arg", "x")).toContain("--arg takes a name and a value");
    expect(jq("-n", rows, "$n", "--argjson", "n", "{")).toBe("jq: invalid JSON text passed to --argjson\n");
  }),
);
