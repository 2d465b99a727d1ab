// Hostile files through the importer: no good record is lost, every problem is listed with file, line, byte range and
// reason, nothing outside is read, nothing blocks.
import { execFileSync } from "node:child_process";
import {
  mkdirSync,
  openSync,
  closeSync,
  ftruncateSync,
  linkSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import {
  answer,
  asks,
  bytesOf,
  idOf,
  joined,
  jsonl,
  line,
  prompt,
  result,
  SESSION,
  text,
  used,
} from "#lib/formats/claude-code/testing-claude.ts";
import { claudeCode } from "#lib/formats/claude-code.ts";
import { LIMITS } from "#lib/kernel/limits.ts";
import type { Archive } from "../base/archive-type.ts";
import { getEvent, listEvents } from "../sessions/list-events.ts";
import { listProblems } from "../sources/list-sources.ts";
import { sessionLoad } from "../load/session-load.ts";
import { showSession } from "../sessions/show-session.ts";
import { rawBytes } from "./raw-writer.ts";
import { inArchive, inFolder, put } from "../testing-archive.ts";
import { importPaths } from "./import-paths.ts";

const NAME = `${SESSION}.jsonl`;
const good = (n: number) => prompt(`good ${n}`, n, `good ${n}`);
const goodLine = (n: number): string => JSON.stringify(good(n));

type Problem = { line: number; byteStart: number; byteEnd: number; reason: string };
type Seen = { texts: string[]; problems: Problem[] };

/** What was read of a file: the prompts, and the listed problems. */
async function read(archive: Archive, logs: string, bytes: string | Uint8Array): Promise<Seen> {
  const path = put(logs, NAME, bytes);
  const { files } = await importPaths(archive, [path]);
  expect(files[0]?.reason).toBeUndefined();
  const { events } = await listEvents(archive, SESSION, { from: 1, limit: 500 });
  const listed = await listProblems(archive, { limit: 500, offset: 0, path });
  const problems = listed.problems.map(({ line, byteStart, byteEnd, reason }) => ({
    line,
    byteStart,
    byteEnd,
    reason,
  }));
  expect(listed.total).toBe(problems.length);
  expect(listed.problems.map((problem) => problem.path)).toEqual(problems.map(() => path));
  const byStart = (a: Problem, b: Problem): number => a.byteStart - b.byteStart || a.byteEnd - b.byteEnd;
  expect(files[0]!.errors.toSorted(byStart)).toEqual(problems.toSorted(byStart));
  return {
    texts: events.filter(({ type }) => type === "user").map((event) => event.text ?? ""),
    problems,
  };
}

const cut = (text: string, at: number): string => text.slice(0, at);

describe("broken lines: what is whole is read, what is lost is listed", () => {
  const a = goodLine(1);
  const b = goodLine(2);
  const utf16 = Buffer.from(`${goodLine(9)}\n`, "utf16le");
  const kinds: Record<string, { file: string | Uint8Array; texts: number[]; reasons: RegExp[] }> = {
    "a truncated last line": { file: `${a}\n${cut(b, 60)}`, texts: [1], reasons: [/unfinished/] },
    "a truncated line in the middle": {
      file: `${a}\n${cut(goodLine(3), 60)}\n${b}\n`,
      texts: [1, 2],
      reasons: [/unfinished/],
    },
    "a truncated splice": { file: `${a}\n${cut(goodLine(3), 90)}${b}\n`, texts: [1, 2], reasons: [/unfinished/] },
    "records without a newline between": { file: `${a}${b}\n`, texts: [1, 2], reasons: [/2 records on one line/] },
    "three glued, and a fourth cut off": {
      file: `${a}${b}${goodLine(3)}${cut(goodLine(4), 40)}\n`,
      texts: [1, 2, 3],
      reasons: [/3 records on one line/, /unfinished/],
    },
    "one NUL": { file: `${a}\n\0${b}\n`, texts: [1, 2], reasons: [/NUL/] },
    "4096 NULs in the middle": { file: `${a}\n${"\0".repeat(4096)}\n${b}\n`, texts: [1, 2], reasons: [/NUL/] },
    "4096 NULs before a record": { file: `${a}\n${"\0".repeat(4096)}${b}\n`, texts: [1, 2], reasons: [/NUL/] },
    "empty lines and lines of spaces": { file: `\n\n${a}\n   \n\t\n${b}\n\n`, texts: [1, 2], reasons: [] },
    "a byte order mark": { file: `\uFEFF${a}\n${b}\n`, texts: [1, 2], reasons: [] },
    "CRLF line ends": { file: `${a}\r\n${b}\r\n`, texts: [1, 2], reasons: [] },
    "a byte that is never UTF-8": {
      file: joined(a.replace("good 1", "good 1 "), "\n", b.slice(0, -2), " ", "}}\n"),
      texts: [1, 2],
      reasons: [],
    },
    "a line of noise": {
      file: joined(`${a}\n`, Uint8Array.of(0xff, 0x00, 0x80, 0xc0), "\n", `${b}\n`),
      texts: [1, 2],
      reasons: [/UTF/],
    },
    "JSON that is no object": { file: `${a}\n42\n"text"\n[1,2]\nnull\ntrue\n${b}\n`, texts: [1, 2], reasons: [] },
    "a half-written character at the end": {
      file: joined(`${a}\n${b}\n`, '{"type":"user","uuid":"', Uint8Array.of(0xe2, 0x82)),
      texts: [1, 2],
      reasons: [/unfinished/],
    },
    "a piece in UTF-16": { file: joined(`${a}\n`, utf16, `${b}\n`), texts: [1, 2], reasons: [/./] },
    "brackets that never close": { file: `${a}\n${"[".repeat(5000)}\n${b}\n`, texts: [1, 2], reasons: [/Not JSON/] },
    "braces without end": { file: `${a}\n${'{"a":'.repeat(3000)}\n${b}\n`, texts: [1, 2], reasons: [/./] },
  };
  test.each(Object.entries(kinds))("%s", (_, { file, texts, reasons }) =>
    inArchive(async (archive, logs) => {
      const seen = await read(archive, logs, file);
      expect(seen.texts.map((one) => one.trim())).toEqual(texts.map((n) => `good ${n}`));
      expect(seen.problems.length).toBeGreaterThanOrEqual(reasons.length);
      reasons.forEach((reason, i) => expect(seen.problems[i]!.reason).toMatch(reason));
      if (reasons.length === 0) expect(seen.problems).toEqual([]);
      const bytes = bytesOf(file);
      for (const { line, byteStart, byteEnd } of seen.problems) {
        expect(byteStart).toBeLessThan(byteEnd);
        expect(byteEnd).toBeLessThanOrEqual(bytes.length);
        const before = bytes.subarray(0, byteStart);
        expect(line).toBe(1 + before.reduce((count, byte) => count + (byte === 10 ? 1 : 0), 0));
      }
      // Whatever was understood, the bytes are kept.
      expect(Buffer.concat([...rawBytes(archive, 1, 0, bytes.length)])).toEqual(Buffer.from(bytes));
    }),
  );

  test("invalid UTF-8 inside a text is shown with a mark, and said", () =>
    inArchive(async (archive, logs) => {
      const [head, tail] = a.split("good 1") as [string, string];
      const seen = await read(
        archive,
        logs,
        joined(head, "good ", Uint8Array.of(0xff, 0xc0, 0xaf), tail, "\n", b, "\n"),
      );
      expect(seen.texts).toEqual(["good \uFFFD\uFFFD\uFFFD", "good 2"]);
      expect(seen.problems).toMatchObject([
        { line: 1, byteStart: 0, reason: expect.stringContaining("not valid UTF-8") },
      ]);
    }));

  test("text that only looks like damage is text", () =>
    inArchive(async (archive, logs) => {
      const odd = 'a\u2028b\u2029c\rd\uFFFDe\0f"}{"type":"user"}\u{1F469}\u200D\u{1F4BB}\u202Eg\uFFFF';
      const seen = await read(archive, logs, jsonl(prompt("odd", 1, odd), good(2)));
      expect(seen).toEqual({ texts: [odd, "good 2"], problems: [] });
    }));

  test("a file that is empty, or of another kind, is skipped with its reason and blocks nothing", () =>
    inArchive(async (archive, logs) => {
      put(logs, "a-empty.jsonl", "");
      put(logs, "b-utf16.jsonl", Buffer.from(`\uFEFF${goodLine(1)}\n`, "utf16le"));
      put(
        logs,
        "c-noise.jsonl",
        Uint8Array.from({ length: 4096 }, (_, i) => (i * 7919) % 256),
      );
      put(logs, "d-nuls.jsonl", new Uint8Array(10_000));
      put(logs, `e/${NAME}`, jsonl(good(1)));
      const { files } = await importPaths(archive, [logs]);
      const result = files.map(({ path, status, reason }) => [
        path.slice(logs.length + 1),
        status,
        reason?.split(".")[0],
      ]);
      expect(result).toEqual([
        ["a-empty.jsonl", "skipped", "The file is empty"],
        ["b-utf16.jsonl", "skipped", "No session format matches"],
        ["c-noise.jsonl", "skipped", "No session format matches"],
        ["d-nuls.jsonl", "skipped", "No session format matches"],
        [`e/${NAME}`, "imported", undefined],
      ]);
    }));

  test("among any damage of any kind, every whole record is read once, in order", { timeout: 120_000 }, async () => {
    const damage = fc.oneof(
      fc.constant("\n"),
      fc.nat(4095).map((n) => `${"\0".repeat(n + 1)}\n`),
      fc.tuple(fc.nat(999), fc.integer({ min: 30, max: 300 })).map(([n, at]) => `${cut(goodLine(1000 + n), at)}\n`),
      // Cut off after a colon, it would take the record after it for its value: with a brace too many, a whole record.
      fc
        .tuple(fc.nat(999), fc.integer({ min: 30, max: 300 }))
        .map(([n, at]) => cut(goodLine(1000 + n), at).replace(/:$/, "")),
      fc.constant("not json at all\n"),
      fc.constant('{"type":"user"'),
      fc.constant("}{"),
    );
    const files = fc.array(fc.tuple(damage, fc.boolean()), { minLength: 1, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(files, (parts) =>
        inArchive(async (archive, logs) => {
          const file = `${goodLine(0)}\n${parts.map(([bad, glued], i) => `${bad}${goodLine(i + 1)}${glued ? "" : "\n"}`).join("")}\n`;
          const seen = await read(archive, logs, file);
          expect(seen.texts).toEqual(Array.from({ length: parts.length + 1 }, (_, i) => `good ${i}`));
        }),
      ),
      { numRuns: 30 },
    );
  });
});

describe("values that break careless code", () => {
  test.each([512, 4_999, 5_000, 10_001, 100_000])(
    "nesting of %d levels is kept and shown, and breaks nothing",
    (depth) =>
      inArchive(async (archive, logs) => {
        const deep = `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;
        const nested = (record: unknown): string => JSON.stringify(record).replace('"DEEP"', deep);
        const file = [
          good(1),
          answer("call", 2, "1", asks("t1", "Bash", "DEEP")),
          result("res", 3, "t1", [{ type: "strange", value: "DEEP" }], { toolUseResult: { content: "DEEP" } }),
          { ...prompt("unknown", 4, ""), type: "of tomorrow", value: "DEEP" },
          { ...prompt("attached", 5, ""), type: "attachment", attachment: { type: "note", value: "DEEP" } },
          answer("block", 6, "2", { type: "strange", value: "DEEP" }),
          { ...prompt("error", 7, ""), type: "system", subtype: "api_error", error: "DEEP" },
          good(8),
        ];
        const seen = await read(archive, logs, `${file.map(nested).join("\n")}\n${deep}\n`);
        expect(seen).toEqual({ texts: ["good 1", "good 8"], problems: [] });
        const session = await showSession(archive, SESSION);
        expect(session).toMatchObject({ toolCalls: 1, toolResults: 1, records: 9, callsWithoutResult: 0 });
        const { events } = await listEvents(archive, SESSION, { from: 1, limit: 500 });
        expect(() => JSON.stringify(events)).not.toThrow();
        for (const { seq } of events) JSON.stringify(await getEvent(archive, SESSION, seq));
        JSON.stringify(await sessionLoad(archive, SESSION));
      }),
  );

  test("numbers are kept to the last digit in the raw record, and break no sum", () =>
    inArchive(async (archive, logs) => {
      const odd = ["9007199254740993", "1e400", "-0", "1.0", "12345678901234567890", "-5", "0.5", '"7"', "null", "[]"];
      const lines = odd.map((number, i) =>
        JSON.stringify(
          answer(`n${i}`, i, `${i}`, asks(`t${i}`, "Bash", { n: "ODD" }), {
            usage: { input_tokens: "ODD", output_tokens: 1 },
          }),
        ).replaceAll('"ODD"', number),
      );
      const file = `${lines.join("\n")}\n`;
      await read(archive, logs, file);
      expect(Buffer.concat([...rawBytes(archive, 1, 0, file.length)]).toString()).toBe(file);
      const { usage, toolCalls } = await showSession(archive, SESSION);
      expect(toolCalls).toBe(odd.length);
      expect(Number.isSafeInteger(usage.output) && usage.output === odd.length).toBe(true);
      for (const value of Object.values(usage)) expect(Number.isFinite(value) && value >= 0).toBe(true);
    }));

  test("lone surrogates and NULs go in and come out as their records spell them", () =>
    inArchive(async (archive, logs) => {
      const lone = String.raw`{"a":"x\ud800y\u0000z\uDC00"}`;
      const file = `${JSON.stringify(prompt("lone", 1, "TEXT")).replace('"TEXT"', String.raw`"x\ud800y\u0000z"`)}\n${JSON.stringify(answer("c", 2, "1", asks("t", "Bash", "IN"))).replace('"IN"', lone)}\n`;
      const seen = await read(archive, logs, file);
      expect(seen.texts).toEqual(["x\ud800y\u0000z"]);
      expect(Buffer.concat([...rawBytes(archive, 1, 0, file.length)]).toString()).toBe(file);
    }));

  const evil = [
    "__proto__",
    "constructor",
    "toString",
    "hasOwnProperty",
    "length",
    "then",
    "0",
    "",
    "valueOf",
    "__defineGetter__",
  ];
  test("names of JavaScript's own are names like others, in every place of a record", () =>
    inArchive(async (archive, logs) => {
      const records = evil.flatMap((key, i) => [
        `{"__proto__":{"type":"assistant"},"constructor":null,"hasOwnProperty":1,${goodLine(i).slice(1)}`,
        JSON.stringify(
          answer(`a${i}`, i, key, asks(key, key, JSON.parse(`{${JSON.stringify(key)}:{"then":1}}`)), {
            model: key,
            request: key,
          }),
        ),
        JSON.stringify(
          result(`r${i}`, i, key, `output of ${key}`, {
            toolUseResult: JSON.parse(`{"__proto__":{"agentId":"x"},${JSON.stringify(key)}:1}`),
          }),
        ),
        JSON.stringify({ ...prompt(`s${i}`, i, "side"), isSidechain: true, agentId: key, sessionId: key }),
        JSON.stringify({ ...prompt(`k${i}`, i, ""), type: key, attachment: { type: key } }),
      ]);
      const seen = await read(archive, logs, `${records.join("\n")}\n`);
      expect(seen).toEqual({ texts: evil.map((_, i) => `good ${i}`), problems: [] });
      const session = await showSession(archive, SESSION);
      expect(session).toMatchObject({
        toolCalls: evil.length,
        toolResults: evil.length,
        callsWithoutResult: 0,
        resultsWithoutCall: 0,
      });
      expect(session.modelCalls.own).toBe(evil.length);
      expect(({} as Record<string, unknown>)["type"]).toBeUndefined();
    }));

  test("records of any shape never stop an import", { timeout: 120_000 }, async () => {
    const keys = fc.oneof(
      fc.constantFrom(...evil, "type", "message", "content", "uuid", "sessionId", "usage", "id"),
      fc.string(),
    );
    const value = fc.object({
      key: keys,
      maxDepth: 4,
      values: [fc.anything({ maxDepth: 1 }), fc.string(), fc.double(), fc.constantFrom(...evil)],
    });
    const types = fc.constantFrom(
      "user",
      "assistant",
      "system",
      "attachment",
      "progress",
      "summary",
      "custom-title",
      "queue-operation",
      ...evil,
    );
    const record = fc
      .tuple(
        types,
        value,
        fc.uuid(),
        fc.constantFrom("message", "toolUseResult", "attachment", "compactMetadata", "data"),
      )
      .map(([type, inner, uuid, at]) => ({
        uuid,
        parentUuid: null,
        sessionId: SESSION,
        type,
        [at]: { content: [inner], usage: inner, id: inner, ...(inner as object) },
      }));
    await fc.assert(
      fc.asyncProperty(fc.array(record, { minLength: 1, maxLength: 8 }), (records) =>
        inArchive(async (archive, logs) => {
          const lines = records.map((one) =>
            JSON.stringify(one, (_, v: unknown) => (typeof v === "bigint" ? String(v) : v)),
          );
          const seen = await read(archive, logs, `${goodLine(1)}\n${lines.join("\n")}\n${goodLine(2)}\n`);
          expect(seen.texts).toContain("good 1");
          expect(seen.texts).toContain("good 2");
          expect(seen.problems).toEqual([]);
          expect((await showSession(archive, SESSION)).records).toBe(records.length + 2);
        }),
      ),
      { numRuns: 40 },
    );
  });
});

describe("size", () => {
  test("a line over the limit is listed and kept, and the next one is read", () =>
    inArchive(async (archive, logs) => {
      const before = LIMITS.lineBytes;
      Object.assign(LIMITS, { lineBytes: 4000 });
      try {
        const long = JSON.stringify(prompt("long", 1, "x".repeat(5000)));
        const file = `${goodLine(1)}\n${long}\n${goodLine(2)}\n`;
        const seen = await read(archive, logs, file);
        expect(seen.texts).toEqual(["good 1", "good 2"]);
        const start = goodLine(1).length + 1;
        expect(seen.problems).toEqual([
          {
            line: 2,
            byteStart: start,
            byteEnd: start + long.length,
            reason: expect.stringMatching(/over the limit of 4,000/),
          },
        ]);
        expect(Buffer.concat([...rawBytes(archive, 1, start, start + long.length)]).toString()).toBe(long);
      } finally {
        Object.assign(LIMITS, { lineBytes: before });
      }
    }));

  test("a line of 70 MB over the real limit costs little memory", { timeout: 120_000 }, () =>
    inArchive(async (archive, logs) => {
      const path = put(logs, NAME, `${goodLine(1)}\n`);
      const fd = openSync(path, "r+");
      const at = goodLine(1).length + 1;
      const end = at + 70 * 1024 * 1024;
      ftruncateSync(fd, end);
      writeSync(fd, `\n${goodLine(2)}\n`, end);
      closeSync(fd);
      const { files } = await importPaths(archive, [path]);
      expect(files[0]!.errors).toMatchObject([{ line: 2, byteStart: at, byteEnd: end }]);
      expect((await showSession(archive, SESSION)).turns).toBe(2);
      expect(process.resourceUsage().maxRSS / 1024).toBeLessThan(900);
    }),
  );

  test("only so many problems are kept of one file, and all are counted", () =>
    inArchive(async (archive, logs) => {
      const path = put(logs, NAME, `${goodLine(1)}\n${"broken\n".repeat(LIMITS.importProblems + 50)}${goodLine(2)}\n`);
      const { files } = await importPaths(archive, [path]);
      expect(files[0]!.errors).toHaveLength(LIMITS.importProblems);
      const { problems, total } = await listProblems(archive, { limit: 5000, offset: 0 });
      expect(problems).toHaveLength(LIMITS.importProblems);
      expect(total).toBe(LIMITS.importProblems + 50);
      expect((await showSession(archive, SESSION)).turns).toBe(2);
    }));
});

describe("games with paths", () => {
  test(
    "only regular files inside the folder are read; the others are named with their reason, and nothing blocks",
    { timeout: 20_000 },
    () =>
      inFolder(async (outside) =>
        inArchive(async (archive, logs) => {
          const secret = put(outside, NAME, jsonl(good(666)));
          put(logs, `p/${idOf("real")}.jsonl`, jsonl({ ...good(1), sessionId: idOf("real") }));
          symlinkSync(secret, join(logs, "p/link.jsonl"));
          symlinkSync(outside, join(logs, "elsewhere"));
          symlinkSync(logs, join(logs, "p/loop"));
          symlinkSync(join(logs, "nowhere"), join(logs, "p/dangling.jsonl"));
          symlinkSync("/dev/zero", join(logs, "p/zero.jsonl"));
          mkdirSync(join(logs, "p/folder.jsonl"));
          execFileSync("mkfifo", [join(logs, "p/pipe.jsonl")]);
          const { files } = await importPaths(archive, [logs]);
          const answer = new Map(
            files.map(({ path, status, reason }) => [path.slice(logs.length + 1), `${status} ${reason ?? ""}`]),
          );
          expect(answer.get(`p/${idOf("real")}.jsonl`)).toBe("imported ");
          expect(answer.get("p/link.jsonl")).toMatch(/^skipped It is a symbolic link/);
          expect(answer.get("p/zero.jsonl")).toMatch(/^skipped It is a symbolic link/);
          expect(answer.get("p/dangling.jsonl")).toMatch(/target is missing/);
          expect(answer.get("p/pipe.jsonl")).toMatch(/named pipe/);
          expect(answer.get("elsewhere")).toMatch(/symbolic link to a folder outside/);
          expect(archive.sqlite.prepare("SELECT count(*) FROM sessions").pluck().get()).toBe(1);
          expect(archive.sqlite.prepare("SELECT count(*) FROM events WHERE body LIKE '%good 666%'").pluck().get()).toBe(
            0,
          );
        }),
      ),
  );

  test("a link, a pipe, a device and nothing, named one by one, are refused at once", { timeout: 20_000 }, () =>
    inArchive(async (archive, logs) => {
      const real = put(logs, "real/x.jsonl", jsonl(good(1)));
      symlinkSync(real, join(logs, "link.jsonl"));
      execFileSync("mkfifo", [join(logs, "pipe.jsonl")]);
      const paths = [join(logs, "link.jsonl"), join(logs, "pipe.jsonl"), "/dev/zero", join(logs, "nothing.jsonl")];
      const { files } = await importPaths(archive, paths);
      expect(files.map(({ status }) => status)).toEqual(["failed", "failed", "failed", "failed"]);
      expect(files.map(({ reason }) => /symbolic link|named pipe|device|Nothing at/.exec(reason ?? "")?.[0])).toEqual([
        "symbolic link",
        "named pipe",
        "device",
        "Nothing at",
      ]);
    }),
  );

  test("a hard link to one file is the same session, kept once", () =>
    inArchive(async (archive, logs) => {
      const path = put(logs, `a/${NAME}`, jsonl(good(1), good(2)));
      mkdirSync(join(logs, "b"));
      linkSync(path, join(logs, `b/${NAME}`));
      await importPaths(archive, [logs]);
      expect(archive.sqlite.prepare("SELECT count(*) FROM sessions").pluck().get()).toBe(1);
    }));

  test("a stored output outside the folder is not fetched, whatever path a transcript names", () =>
    inFolder(async (outside) =>
      inArchive(async (archive, logs) => {
        const secret = put(outside, "secret.txt", "the secret");
        const paths = [
          secret,
          "../../secret.txt",
          "/etc/hostname",
          `${logs}/../../${outside}/secret.txt`,
          "\0",
          "a".repeat(1000),
        ];
        const preview = (path: string): string =>
          `<persisted-output>\nOutput too large (53.6KB). Full output saved to: ${path}\n\nPreview (first 2KB):\nabc\n</persisted-output>`;
        const records = paths.map((path, i) =>
          result(`r${i}`, i, `t${i}`, preview(path), { toolUseResult: { persistedOutputPath: path } }),
        );
        writeFileSync(join(logs, NAME), jsonl(good(1), ...records));
        await importPaths(archive, [join(logs, NAME)]);
        expect(archive.sqlite.prepare("SELECT count(*) FROM artifacts").pluck().get()).toBe(0);
        const { events } = await listEvents(archive, SESSION, { from: 1, limit: 50, type: "tool_result" });
        expect(events.map(({ saw }) => saw)).toEqual(paths.map(() => "preview"));
      }),
    ));
});

test("a file that meets a mistake of ours is told, and keeps no other file out", () =>
  inArchive(async (archive, logs) => {
    const parse = claudeCode.parse;
    const mistaken = { ...claudeCode, parse: vi.fn(parse) };
    mistaken.parse.mockImplementation((record, state) => {
      if (Buffer.from(record.bytes).includes("a mistake")) throw new RangeError("Maximum call stack size exceeded");
      return parse(record, state);
    });
    Object.assign(claudeCode, { parse: mistaken.parse });
    try {
      for (const name of ["a", "b", "c", "d"])
        put(logs, `${idOf(name)}.jsonl`, jsonl(good(1), prompt(name, 2, name === "b" ? "a mistake" : "well")));
      const { files } = await importPaths(archive, [logs]);
      const result = new Map(files.map(({ path, status }) => [path, status]));
      expect(result.size).toBe(4);
      expect(files).toHaveLength(4);
      const failed = files.filter(({ status }) => status === "failed");
      expect(failed.map(({ path, reason }) => [path, reason])).toEqual([
        [join(logs, `${idOf("b")}.jsonl`), expect.stringContaining("Plimsoll failed on this file")],
      ]);
      expect(archive.sqlite.prepare("SELECT count(*) FROM sessions").pluck().get()).toBe(3);
      expect(archive.sqlite.prepare("SELECT count(*) FROM events").pluck().get()).toBe(6);
    } finally {
      Object.assign(claudeCode, { parse });
    }
    const { files } = await importPaths(archive, [logs]);
    expect(files.map(({ status }) => status).toSorted()).toEqual(["imported", "unchanged", "unchanged", "unchanged"]);
  }));

test("numbers of any size, in every place where one is read, break nothing", async () => {
  const number = fc.oneof(
    fc.double(),
    fc.maxSafeInteger(),
    fc.constantFrom(1e300, -1e300, 0.5, 2 ** 53, 2 ** 63, 1e12, 1e13),
  );
  await fc.assert(
    fc.asyncProperty(number, number, (a, b) =>
      inArchive(async (archive, logs) => {
        const records = [
          good(1),
          answer("call", 2, "1", asks("t1", "Bash", { command: "x" }), { usage: used(a, b, a, b) }),
          result("res", 3, "t1", "out", {
            toolUseResult: { totalDurationMs: a, totalTokens: b, file: { totalLines: a } },
          }),
          line("system", "c", 4, {
            subtype: "compact_boundary",
            compactMetadata: { trigger: "auto", preTokens: a, postTokens: b },
          }),
          line("system", "m", 5, {
            subtype: "microcompact_boundary",
            microcompactMetadata: { preTokens: a, tokensSaved: b },
          }),
          answer("late", 6, "2", text("x"), { usage: used(b, a, b, a) }),
        ];
        await read(archive, logs, jsonl(...records));
        const session = await showSession(archive, SESSION);
        for (const value of Object.values(session.usage)) expect(Number.isSafeInteger(value) && value >= 0).toBe(true);
        const load = await sessionLoad(archive, SESSION);
        for (const call of load.calls) expect(Number.isFinite(call.prompt)).toBe(true);
      }),
    ),
    { numRuns: 40 },
  );
});

test("text is text: an answer with hostile words comes back as it was", () =>
  inArchive(async (archive, logs) => {
    const words =
      "<script>alert(1)</script> ![x](http://canary/x.png) \u001b]0;title\u0007 \u202E {{constructor}} ${x} %s";
    const { texts } = await read(archive, logs, jsonl(prompt("p", 1, words), answer("a", 2, "1", text(words))));
    expect(texts).toEqual([words]);
  }));

test("a session whose file begins with damage is imported under its own name", () =>
  inArchive(async (archive, logs) => {
    const header = { type: "session", version: 3, id: "0d0a0000-0000-4000-8000-000000000001", cwd: "/home/ada" };
    const start = JSON.stringify({ ...header, timestamp: "2026-03-02T09:00:00.000Z" });
    const lines = `${start}\n${start.replace('"session"', '"later"')}\n`;
    const [clean] = (await importPaths(archive, [put(logs, "begins-damaged.jsonl", lines)])).files;
    for (const before of ["\0".repeat(512), "\n\r\n", "null\n", start.slice(0, 40), `${start.slice(0, 40)}\n`]) {
      const { files } = await importPaths(archive, [put(logs, "begins-damaged.jsonl", before + lines)]);
      expect(files[0]).toMatchObject({ format: "pi", sessions: clean!.sessions });
    }
  }));
