// The command line as a stranger types it: a process a command, JSON and nothing else on standard output.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { optionRows, syntax } from "./commands/help.ts";
import { COMMAND_GROUPS, COMMANDS } from "./commands/index.ts";
import { entryOf } from "../scripts/bundle.mjs";

const program = entryOf("bin/plimsoll.ts");
const FIXTURES = join(import.meta.dirname, "../lib/formats/fixtures");
const dir = mkdtempSync(join(tmpdir(), "plimsoll-cli-"));
const logs = join(dir, "logs");

type Ran = { status: number | null; out: string; bytes: Buffer; err: string };

function run(...words: string[]): Ran {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...words], {
    env: {
      ...process.env,
      HOME: join(dir, "home"),
      PLIMSOLL_ARCHIVE: join(dir, "archive"),
      PLIMSOLL_SOURCES: logs,
    },
    maxBuffer: 64 * 1024 * 1024,
  });
  return { status, out: stdout.toString(), bytes: stdout, err: stderr.toString() };
}

/** A command with --json that is done: its document. */
function json<T>(...words: string[]): T {
  const { status, out, err } = run(...words, "--json");
  expect(err).toBe("");
  expect(status).toBe(0);
  return JSON.parse(out) as T;
}

type Session = {
  id: string;
  nativeId: string;
  format: string;
  parentId: string | null;
  cwd: string | null;
  toolCalls: number;
  artifacts: number;
};
type Artifact = {
  pointer: string;
  id: string;
  digest: string;
  sizeBytes: number;
  name: string | null;
  sessionId: string;
};

beforeAll(() => cpSync(FIXTURES, logs, { recursive: true }));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

test("before anything is imported every reading command says what to do", () => {
  const { status, out, err } = run("sessions");
  expect(status).toBe(1);
  expect(out).toBe("");
  expect(err).toMatch(/^No archive in .*Import something first: plimsoll import PATH\.\n$/);
});

describe("after an import", () => {
  let sessions: Session[] = [];
  beforeAll(() => {
    const first = json<{
      files: { status: string; errors: unknown[]; sessions: string[] }[];
      totals: Record<string, number>;
    }>("import", logs);
    expect(first.files.length).toBeGreaterThanOrEqual(6);
    expect(first.files.every(({ status, errors }) => status === "imported" && errors.length === 0)).toBe(true);
    expect(Object.keys(first.totals)).toEqual(
      expect.arrayContaining(["files", "sessions", "events", "modelCalls", "artifacts", "errors", "bytes", "ms"]),
    );
    const again = json<{ files: { status: string }[]; totals: { events: number } }>("import", logs);
    expect(new Set(again.files.map(({ status }) => status))).toEqual(new Set(["unchanged"]));
    expect(again.totals.events).toBe(0);
    sessions = json<{ sessions: Session[]; total: number }>("sessions").sessions;
    expect(sessions.length).toBe(first.totals["sessions"]);
  });

  test("sessions are listed, filtered and searched", () => {
    expect(
      json<{ sessions: Session[] }>("sessions", "--format", "codex").sessions.every(({ format }) => format === "codex"),
    ).toBe(true);
    const found = json<{ sessions: Session[]; total: number }>(
      "sessions",
      "--format",
      "claude-code",
      "--q",
      "highest tide",
    );
    expect(found.total).toBe(1);
    expect(found.sessions[0]!.nativeId).toBe("claude-code:5e551011-0000-4000-8000-00000000000a");
  });

  test("what is too much is wrong usage, said in a sentence", () => {
    const long = "a".repeat(3000);
    const { id } = json<Session>("show", "5e551011");
    for (const [words, says] of [
      [["search", "tide", "--offset", "5000"], "--offset takes at most 1,000.\n"],
      [["search", long], "QUERY may have 2,000 characters at most.\n"],
      [["context", id, "--plan", long], "--plan may have 100 characters at most.\n"],
      [["token", "create", "--name", long], "--name may have 200 characters at most.\n"],
      [["findings", "--limit", "0"], "--limit takes at least 1.\n"],
      [["findings", "--state", "nope"], "--state takes open, muted, done, back or all.\n"],
      [["usage", "daily", "--start-of-week", "friday"], "--start-of-week takes monday or sunday.\n"],
      [["whatif", id, "--ratio", "2"], "--ratio takes at most 1.\n"],
      [["whatif", id, "--offload", "-5"], '--offload takes a number, not "-5".\n'],
      [["compact", id, "--tail", "-1"], '--tail takes a whole number, not "-1".\n'],
      [
        ["search", "x", "--save", "-x"],
        "--save needs a value. One that starts with a dash is written --save=-VALUE.\n",
      ],
    ] as const) {
      const { status, out, err } = run(...words);
      expect([status, out, err.slice(0, says.length)]).toEqual([2, "", says]);
    }
  });

  test("a search that is deleted is JSON too", () => {
    expect(run("search", "tide", "--save", "tides").status).toBe(0);
    expect(json("search", "--drop", "tides")).toEqual({ deleted: true });
  });

  test("a filter that no session matches does not ask for an import", () => {
    const { status, out } = run("sessions", "--q", "zzzzqqq");
    expect([status, out]).toEqual([0, "No session matches.\n"]);
  });

  test("a format that no session has is said, with those that there are", () => {
    const { status, out } = run("sessions", "--format", "nope");
    expect(status).toBe(0);
    expect(out).toMatch(/^No session here has the format "nope"\. Known: (?:[a-z-]+, )+[a-z-]+\.\n$/u);
    expect(run("sessions", "--format", "codex", "--q", "zzzzqqq").out).toBe("No session matches.\n");
  });

  test("a budget of a project without a session is set, and says which are nearest", () => {
    const known = new Set(sessions.flatMap(({ cwd }) => cwd ?? []));
    const set = run("budget", "set", "month", "20", "--project", "/home/user/harbuor");
    expect(set.status).toBe(0);
    expect(set.out).toMatch(/^month +\$20\.00 .* under +\/home\/user\/harbuor$/m);
    const [said, near] = set.err.split(": ");
    expect(said).toBe(`No session of /home/user/harbuor yet. Nearest of ${known.size} projects`);
    expect(
      near!
        .replace(".\n", "")
        .split(", ")
        .filter((one) => known.has(one)),
    ).toHaveLength(3);
    expect(run("budget", "set", "month", "20", "--project", [...known][0]!).err).toBe("");
    for (const one of ["/home/user/harbuor", [...known][0]!])
      expect(run("budget", "remove", "month", "--project", one)).toMatchObject({ status: 0, err: "" });
  });

  test("events behind the last are said", () => {
    expect(run("events", "5e551011", "--from", "99999").out).toMatch(
      /^No events here\. The session ends with event \d+\.\n$/u,
    );
    expect(run("events", "5e551011", "--type", "rewind").out).toMatch(/^No events here\./u);
  });

  test("a note is listed without a text", () => {
    expect(run("note", "5e551011", "low", "water").status).toBe(0);
    expect(run("note", "5e551011").out).toBe("session note low water\n");
    expect(run("note", "5e551011", "--remove").out).toBe("No marks.\n");
  });

  test("a context says which event it is of, and a window without room is said as such", () => {
    expect(run("context", "5e551011", "--at", "8").out).toMatch(/^Context at event 8 \(call/u);
    expect(run("context", "5e551011", "--at", "9").out).toMatch(/^Context of event 9 ends at event 8 \(call/u);
    const { out } = run("context", "5e551011", "--fit", "100");
    expect(out).toMatch(
      /\nA window of 100 tokens has no room for messages\. The prefix and the answer alone need more\.\n$/u,
    );
  });

  test("one is shown by its id, its native id, or the beginning of either", () => {
    const { id } = json<Session>("show", "5e551011");
    const shown = json<Record<string, unknown>>("show", id);
    expect(shown).toMatchObject({
      nativeId: "claude-code:5e551011-0000-4000-8000-00000000000a",
      title: "Tide tables",
      turns: 2,
      records: 28,
      modelCalls: { own: 7, inherited: 0 },
      usage: { inputUncached: 40, cacheRead: 73_820, cacheWrite: 31_670, output: 378, reasoning: 0 },
      toolCalls: 7,
      toolResults: 6,
      callsWithoutResult: 1,
      resultsWithoutCall: 0,
      toolErrors: 1,
      compactions: 1,
      artifacts: 2,
      peak: { tokens: 24_515, origin: "reported", call: 4 },
    });
    for (const field of [
      "agent",
      "agentVersion",
      "model",
      "cwd",
      "parentId",
      "relation",
      "startedAt",
      "endedAt",
      "status",
      "events",
      "usageWithInherited",
      "lostCalls",
      "lineage",
      "usageQuality",
      "hostedToolCalls",
      "cost",
      "quality",
    ])
      expect(shown).toHaveProperty(field);
  });

  test("events come in order, with their whole text, by range and type", () => {
    const { events, next } = json<{ events: Record<string, unknown>[]; next: number | null }>(
      "events",
      "5e551011",
      "--from",
      "9",
      "--to",
      "13",
    );
    expect(events.map(({ seq }) => seq)).toEqual([9, 10, 11, 12, 13]);
    expect(next).toBeNull();
    expect(events[2]).toMatchObject({
      type: "tool_result",
      saw: "full",
      bytes: 6819,
      call: null,
      synthetic: false,
      inherited: false,
    });
    expect((events[2]!["text"] as string).length).toBe(6819);
    expect(events[2]!["raw"]).toMatchObject({ file: join(logs, "claude-code-synthetic-session.jsonl") });
    const { events: request } = json<{ events: { type: string }[] }>("events", "5e551011", "--type", "tool_call");
    expect(request.map(({ type }) => type)).toEqual(Array(7).fill("tool_call"));
  });

  test("the bytes of an artifact come out as they are, by pointer and by name", () => {
    const { artifacts } = json<{ artifacts: Artifact[] }>("artifacts", "5e551011");
    const [tables, map] = artifacts as [Artifact, Artifact];
    expect(artifacts.map(({ name }) => name)).toEqual(["january.txt", "map.png"]);
    for (const ref of [tables.pointer, `${tables.sessionId}/january.txt`]) {
      const { status, bytes } = run("cat", ref);
      expect(status).toBe(0);
      expect(createHash("sha256").update(bytes).digest("hex")).toBe(tables.digest);
    }
    expect([...run("cat", map.pointer).bytes.subarray(0, 4)]).toEqual([0x89, 0x50, 0x4e, 0x47]);
  });

  test("a check finds that all is well", () => {
    expect(json("check")).toMatchObject({
      ok: true,
      problems: [],
      rebuilt: null,
      blobs: { corrupt: 0, missing: 0 },
      rows: { bad: 0 },
      registry: { bad: 0 },
    });
    expect(run("check").out).toMatch(/No problems found/);
  });

  test("each command prints for a person too, and mentions no byte of control", () => {
    for (const words of [["sessions"], ["show", "5e551011"], ["events", "5e551011"], ["artifacts"]]) {
      const { status, out, err } = run(...words);
      expect([status, err]).toEqual([0, ""]);
      expect(out.length).toBeGreaterThan(100);
      expect(out).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/);
    }
  });

  test("what is not there is status 1, with one sentence, also as JSON", () => {
    for (const words of [
      ["show", "nothing"],

      ["cat", "art:nothing"],
    ]) {
      const { status, err } = run(...words);
      expect(status, words.join(" ")).toBe(1);
      expect(err.trim().split("\n")).toHaveLength(1);
    }
    const { status, out } = run("show", "nothing", "--json");
    expect(status).toBe(1);
    expect(JSON.parse(out)).toMatchObject({ error: { code: "not_found" } });
  });
});

test("usage of a name that no session has says which there are, and that of a time zone that there is not is of UTC", () => {
  expect(run("import", logs).status).toBe(0);
  expect(run("usage", "daily", "--agent", "claude").out).toBe('No agent here is "claude". Like it: "Claude Code".\n');
  expect(run("usage", "daily", "--agent", "frob").out).toContain('Used most: "');
  const env = { ...process.env, HOME: join(dir, "home"), PLIMSOLL_ARCHIVE: join(dir, "archive"), TZ: "Mars/Phobos" };
  const { stdout } = spawnSync(process.execPath, [program, "usage", "daily", "--json"], { env });
  expect(JSON.parse(stdout.toString())).toMatchObject({ timezone: "UTC" });
});

test.runIf(existsSync("/dev/full"))("output that cannot be written is said once, in status 1", () => {
  for (const line of ["sessions --json", "sessions", "usage --csv", "usage", "help", "export latest"]) {
    const { stdout, stderr } = spawnSync(
      "sh",
      ["-c", `"$0" "$1" ${line} > /dev/full; echo $?`, process.execPath, program],
      {
        env: {
          ...process.env,
          HOME: join(dir, "home"),
          PLIMSOLL_ARCHIVE: join(dir, "archive"),
          PLIMSOLL_SOURCES: logs,
        },
      },
    );
    expect(stdout.toString(), line).toBe("1\n");
    expect(stderr.toString(), line).toBe(
      "The output could not be written: ENOSPC: no space left on device, write. Free some space, or write it elsewhere.\n",
    );
  }
});

test("an unknown command is said in two lines, with the one that was meant", () => {
  const { status, out, err } = run("sesions");
  expect([status, out]).toEqual([2, ""]);
  expect(err).toBe(
    'Unknown command "sesions". Did you mean sessions?\nUsage: plimsoll COMMAND. plimsoll help lists the commands.\n',
  );
  expect(run("help", "contxt").err).toContain("Did you mean context?");
  expect(run("qqqqqqqq").err).toMatch(/^Unknown command "qqqqqqqq"\.\nUsage:/u);
});

test("wrong usage is status 2, with the help", () => {
  for (const words of [["frob"], ["show"], ["events", "x", "--from", "y"]]) {
    const { status, out, err } = run(...words);
    expect(status, words.join(" ")).toBe(2);
    expect(out).toBe("");
    expect(err).toContain("Usage:");
  }
  const help = run("--help");
  expect(help.status).toBe(0);
  for (const { name, about } of COMMANDS)
    expect(help.out).toMatch(new RegExp(`^  ${name}\\b.* {2}${RegExp.escape(about)}$`, "mu"));
  expect(help.out.split("\n").filter((line) => line.length > 120)).toEqual([]);
});

test.each([
  [["blocks", "--by", "agent"], "--by belongs to the other reports, not to blocks."],
  [["blocks", "--since", "2026-01-01"], "--since belongs to the other reports, not to blocks."],
  [["unused", "--agent", "codex"], "--agent belongs to the other reports, not to unused."],
  [["daily", "--days", "3"], "--days belongs to blocks and unused."],
  [["--days", "3"], "--days belongs to blocks and unused."],
])("an option that a report of usage does not know is wrong usage: %s", (words, said) => {
  const { status, out, err } = run("usage", ...words);
  expect([status, out]).toEqual([2, ""]);
  expect(err).toContain(said);
});

test("options without a command are those of start", () => {
  const said = '"frob" is not a port: a number from 0 to 65535.';
  for (const launcher of [program, join(import.meta.dirname, "plimsoll.mjs")])
    for (const words of [
      ["--no-open", "--port", "frob"],
      ["start", "--no-open", "--port", "frob"],
    ]) {
      const env = { ...process.env, HOME: join(dir, "home"), PLIMSOLL_ARCHIVE: join(dir, "archive") };
      const ran = spawnSync(process.execPath, [launcher, ...words], { env });
      expect([ran.status, ran.stdout.toString()], words.join(" ")).toEqual([2, ""]);
      expect(ran.stderr.toString()).toContain(said);
    }
  expect(run("--no-open", "--help")).toEqual(run("help", "start"));
  expect(run("--frob").err).toContain("--no-open");
});

test("help of one command lists its options, and runs nothing", () => {
  for (const words of [
    ["help", "jq"],
    ["jq", "--help"],
  ]) {
    const { status, out, err } = run(...words);
    expect({ status, err }).toEqual({ status: 0, err: "" });
    expect(out).toContain("Usage: plimsoll jq REF PROGRAM [OPTIONS]");
    expect(out).toMatch(/^ {2}-r, --raw +strings without quotes$/m);
    expect(out).toMatch(/^ {2}--arg NAME VALUE +\$NAME is this text \(repeatable\)$/m);
  }
  expect(run("help", "frob").status).toBe(2);
  expect(run("help", "--archive", "elsewhere")).toEqual(run("help"));
});

test("docs/commands.md has every command and option as the help says it", async () => {
  const page = join(import.meta.dirname, "../docs/commands.md");
  const [head, , tail] = readFileSync(page, "utf8").split(/<!-- (?:commands|end) -->\n/u);
  await expect(`${head}<!-- commands -->\n${commandTables()}<!-- end -->\n${tail}`).toMatchFileSnapshot(page);
});

/** `npx vitest run -u bin/command-line.test.ts` writes it anew. */
function commandTables(): string {
  const cell = (value: string): string => value.replaceAll("|", "\\|");
  return COMMAND_GROUPS.map(({ title, commands }) => {
    const rows = commands.map((one) => {
      const options = optionRows(one).map(([name, says]) => `<br>\`${cell(name)}\` ${cell(says)}`);
      return `| \`${cell(syntax(one))}\` | ${cell(one.about)}${options.join("")} |`;
    });
    return `\n### ${title}\n\n| command | does, and its options |\n|---|---|\n${rows.join("\n")}\n\n`;
  }).join("");
}

test("the usage loads no command and no archive", () => {
  const source = join(import.meta.dirname, "plimsoll.ts");
  const script = `
    import { registerHooks } from "node:module";
    import { pathToFileURL } from "node:url";
    const loaded = [];
    registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) });
    process.on("exit", () => console.error(loaded.join("\\n")));
    await import(pathToFileURL(${JSON.stringify(source)}).href);`;
  const loadedBy = (...words: string[]): string[] => {
    const args = ["--input-type=module", "-e", script, source, ...words];
    return spawnSync(process.execPath, args, { encoding: "utf8" }).stderr.split("\n");
  };
  const ours = loadedBy("--help").filter((url) => url.startsWith("file:"));
  expect(ours.map((url) => url.split("/").slice(-2).join("/"))).toContain("commands/index.ts");
  expect(ours.filter((url) => /node_modules|lib\/archive\/archive\.ts|commands\/sessions-command/.test(url))).toEqual(
    [],
  );
  expect(loadedBy("sessions").join("\n")).toMatch(/lib\/archive\/archive\.ts/);
});
