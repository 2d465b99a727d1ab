import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { createJobs, type JqAnswer, type JqRequest } from "./index.ts";
import { runJq } from "./jq-host.ts";
import { bytesOfText } from "./jq-input.ts";
import { compileJq } from "./jq-module.ts";
import { pieceOutlet, wholeOutlet } from "./jq-output.ts";
import { createPipe, pipeReader, pipeWriter } from "./jq-pipe.ts";
import { valueReader } from "./jq-values.ts";

const MB = 1024 * 1024;
const folder = mkdtempSync(join(tmpdir(), "plimsoll-jq-stream-"));
const jobs = createJobs();
afterAll(async () => {
  await jobs.close();
  rmSync(folder, { recursive: true });
});

const LIMITS = { deadlineMs: 5000, memoryBytes: 256 * MB, outputBytes: 100 * MB };
type Params = Partial<Omit<JqRequest, "limits" | "program">> & { limits?: Partial<JqRequest["limits"]> };

/** Runs it with a reader; what came piece by piece, and the answer. */
async function stream(
  program: string,
  { limits, ...input }: Params = {},
): Promise<{ pieces: string[]; answer: JqAnswer }> {
  const pieces: string[] = [];
  const request = {
    inputs: [{ text: "null" }],
    options: { compact: true },
    onPiece: (text: string) => pieces.push(text),
  };
  const answer = await jobs.jq({
    ...request,
    ...input,
    program,
    limits: { ...LIMITS, ...limits },
  } as unknown as JqRequest);
  return { pieces, answer };
}

describe("a program that answers on stderr", () => {
  const ask = (program: string, limits: Params["limits"] = {}) =>
    stream(program, { onPiece: undefined, stderrLines: 3, limits });

  test("is ended after so many lines; its values are no output", async () => {
    const { answer } = await ask('range(1e9) | tojson + "\\n" | stderr');
    expect(answer).toMatchObject({ ok: true, output: "0\n1\n2\n" });
    const less = await ask('range(2) | tojson + "\\n" | stderr');
    expect(less.answer).toMatchObject({ ok: true, output: "0\n1\n", outputBytes: 4 });
    expect((await stream("1")).pieces).toEqual(["1\n"]);
  });

  test("gives what it had written at its deadline, and says what stopped it", async () => {
    const late = await ask('"a\\n" | stderr | def f: f; f', { deadlineMs: 300 });
    expect(late.answer).toMatchObject({ ok: false, kind: "timeout", output: "a\n" });
    const wrong = await ask('"a\\n" | stderr | error("b")');
    expect(wrong.answer).toMatchObject({ ok: false, kind: "runtime" });
    expect(wrong.answer.output).toMatch(/^a\njq: error .*: b\n$/);
  });
});

describe("output that is streamed", () => {
  test("is the same output, in pieces that end at line ends", async () => {
    const { pieces, answer } = await stream("range(300000)");
    const whole = await stream("range(300000)", { onPiece: undefined });
    expect(pieces.length).toBeGreaterThan(5);
    expect(pieces.join("")).toBe(whole.answer.output);
    for (const piece of pieces) expect(piece.endsWith("\n")).toBe(true);
    expect(answer).toMatchObject({ ok: true, output: "", outputBytes: whole.answer.outputBytes, values: 300_000 });
  });

  test("comes while the program runs, also the last line before a long silence", async () => {
    const { pieces, answer } = await stream('"first", (range(1e12) | empty)', { limits: { deadlineMs: 600 } });
    expect(pieces).toEqual(['"first"\n']);
    expect(answer).toMatchObject({ ok: false, kind: "timeout", values: 1, outputBytes: 8 });
  });

  test("of a program that is stopped is there up to its last byte", async () => {
    const { answer } = await stream('range(5), ("x" | debug | empty), last(range(1e12))', {
      onPiece: undefined,
      limits: { deadlineMs: 500 },
    });
    expect(answer).toMatchObject({
      ok: false,
      kind: "timeout",
      output: "0\n1\n2\n3\n4\n",
      values: 5,
      messages: '["DEBUG:","x"]\n',
    });
  });

  test("is cut at its limit between two values, and counted to its end", async () => {
    const { pieces, answer } = await stream("range(100000)", { limits: { outputBytes: 1000 } });
    expect(pieces.join("")).toMatch(/^0\n1\n(?:\d+\n)+$/);
    expect(answer).toMatchObject({ ok: true, truncated: true, outputBytes: 588_890, values: 100_000 });
    const long = await stream('"é" * 90000', { limits: { outputBytes: 100_001 } });
    expect(long.pieces.join("")).toBe(`"${"é".repeat(50_000)}`);
    expect(long.answer).toMatchObject({ truncated: true, values: 1 });
  });

  test("waits for a reader that takes its time, and fills no memory meanwhile", async () => {
    let most = 0;
    let open = 0;
    let bytes = 0;
    const { answer } = await stream("range(400000)", {
      async onPiece(text) {
        most = Math.max(most, ++open);
        bytes += text.length;
        await new Promise((resolve) => setTimeout(resolve, 10));
        open--;
      },
    });
    expect(answer.ok).toBe(true);
    expect(most).toBe(1);
    expect(bytes).toBe(answer.outputBytes);
  });

  test("that nobody takes is stopped at the deadline, and given up when nobody waits", async () => {
    const stop = new AbortController();
    const stalled = stream("range(1e12)", {
      onPiece: () => new Promise<void>(() => {}),
      limits: { deadlineMs: 300 },
      signal: stop.signal,
    });
    setTimeout(() => stop.abort(), 800);
    await expect(stalled).rejects.toMatchObject({ name: "AbortError" });
    expect((await stream("1")).answer.ok).toBe(true);
  });

  test("ends the program when its reader fails", async () => {
    const broken = stream("range(1e12)", {
      onPiece() {
        throw new Error("the reader broke");
      },
    });
    await expect(broken).rejects.toThrow("the reader broke");
    expect((await stream("1")).answer.ok).toBe(true);
  });

  test("of an aborted run ends with it", async () => {
    const stop = new AbortController();
    let isFirst = true;
    const running = stream("range(1e12)", {
      signal: stop.signal,
      onPiece() {
        if (isFirst) setTimeout(() => stop.abort(), 20);
        isFirst = false;
      },
    });
    await expect(running).rejects.toMatchObject({ name: "AbortError" });
    expect((await stream("1")).answer).toMatchObject({ ok: true });
  });
});

describe("several inputs", () => {
  const file = (name: string, text: string): { path: string } => {
    writeFileSync(join(folder, name), text);
    return { path: join(folder, name) };
  };

  test("are read one after the other, and never run together", async () => {
    const inputs = [file("a.json", "1"), { text: "2" }, file("b.json", '3\n"x"')];
    expect((await stream(".", { inputs })).pieces.join("")).toBe('1\n2\n3\n"x"\n');
    expect((await stream("[., inputs]", { inputs })).pieces.join("")).toBe('[1,2,3,"x"]\n');
    const slurped = await stream("length", { inputs, options: { slurp: true } });
    expect(slurped.pieces).toEqual(["4\n"]);
    const none = await stream("[inputs]", { inputs, options: { null_input: true, compact: true } });
    expect(none.pieces).toEqual(['[1,2,3,"x"]\n']);
  });

  test("may have marks in front and nothing in them", async () => {
    const inputs = [file("c.json", "\ufeff[1]"), { text: "" }, file("d.json", "\ufeff[2]")];
    expect((await stream(".[]", { inputs })).pieces.join("")).toBe("1\n2\n");
    expect((await stream(".", { inputs: [] })).answer).toMatchObject({ ok: true, outputBytes: 0 });
    expect((await stream("7", { inputs: [], options: { null_input: true } })).pieces).toEqual(["7\n"]);
  });

  test("are each as large as there is memory, lines as long as they like", async () => {
    const lines = { text: '{"a":1}\n'.repeat(200_000), isJsonLines: true };
    const document = { text: `[${"1,".repeat(50_000)}1]` };
    const limits = { memoryBytes: 20 * MB };
    const { answer } = await stream("length", { inputs: [lines, document], limits });
    expect(answer).toMatchObject({ ok: true, values: 200_001 });
    const large = { text: `[${"1,".repeat(3_000_000)}1]` };
    expect((await stream("length", { inputs: [lines, large], limits })).answer).toMatchObject({ kind: "too_large" });
  });

  test("of which one is gone are not_found", async () => {
    await expect(stream(".", { inputs: [{ text: "1" }, { path: join(folder, "gone") }] })).rejects.toMatchObject({
      code: "not_found",
    });
  });
});

test("values are counted exactly, however they are printed", async () => {
  const cases: [string, number][] = [
    ["empty", 0],
    ["{}, [], [[]], {a: {}}, {a: [1, {b: 2}]}", 5],
    ['"a\\nb", "]", "}", "{", " x", ""', 6],
    ["[range(2000)], {a: [range(2000)]}, -1, null, true, 1e1000", 6],
    ["range(1000) | [., {a: .}]", 1000],
  ];
  for (const [program, values] of cases)
    for (const options of [{}, { compact: true }, { raw_output: true }, { raw_output: true, compact: true }])
      expect([program, options, (await stream(program, { options })).answer.values]).toEqual([
        program,
        options,
        values,
      ]);
});

test("strings without quotes are those of jq, byte for byte", async () => {
  const compiled = await compileJq();
  const written = async (text: string, words: string[]): Promise<Buffer> => {
    const bytes: Buffer[] = [];
    const output = (piece: Uint8Array): void => void bytes.push(Buffer.from(piece));
    await runJq(compiled, {
      words: ["jq", ...words, "--", ".[]"],
      input: bytesOfText(text),
      output,
      messages: () => {},
      memoryBytes: 64 * MB,
    });
    return Buffer.concat(bytes);
  };
  const strings = fc.string({
    unit: fc.oneof(fc.constantFrom("\0", "\n", '"', "\\", "\x7f", "\u2028", "é", "😀", "u0041", " "), fc.string()),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.oneof(strings, fc.jsonValue())),
      fc.integer({ min: 1, max: 9 }),
      async (values, cut) => {
        const text = JSON.stringify(values);
        const quoted = await written(text, ["-M"]);
        const ours: Buffer[] = [];
        let count = 0;
        const read = valueReader(
          true,
          (piece) => void ours.push(Buffer.from(piece)),
          (more) => (count += more),
        );
        for (let at = 0; at < quoted.length; at += cut) read(quoted.subarray(at, at + cut));
        expect(Buffer.concat(ours).equals(await written(text, ["-M", "-r"]))).toBe(true);
        expect(count).toBe(values.length);
      },
    ),
    { numRuns: 60 },
  );
}, 60_000);

test("a mistake has its place, in characters of the program as it was written", async () => {
  const cases: [string, { line: number; column: number } | null][] = [
    [".[", { line: 1, column: 2 }],
    ["1,\n2 | foo(3)\n", { line: 2, column: 5 }],
    ['"é😀" | nope', { line: 1, column: 9 }],
    ["input_filename | nope", { line: 1, column: 18 }],
    [". as $x | $y", { line: 1, column: 11 }],
    ['include "a"; .', null],
    ["error", null],
  ];
  for (const [program, position] of cases) {
    const { answer } = await stream(program);
    expect([program, answer.ok ? "ok" : answer.position]).toEqual([program, position]);
  }
});

test("the ring holds what fits, says what it holds, and goes round", () => {
  const pipe = createPipe();
  let wakes = 0;
  const writer = pipeWriter(pipe, 10 * MB, () => wakes++);
  const reader = pipeReader(pipe);
  const sent: Buffer[] = [];
  const got: Buffer[] = [];
  for (let i = 0; i < 500; i++) {
    const piece = Buffer.alloc(1 + ((i * 7919) % 5000), i);
    sent.push(piece);
    writer.write(piece);
    if (i % 3 === 0)
      for (let next = reader.next(); next !== null; next = reader.next()) {
        got.push(next);
        reader.taken(next.length);
      }
  }
  for (let next = reader.next(); next !== null; next = reader.next()) {
    got.push(next);
    reader.taken(next.length);
  }
  expect(Buffer.concat(got).equals(Buffer.concat(sent))).toBe(true);
  expect(wakes).toBeGreaterThan(5);
  writer.say(Buffer.alloc(5000, 97));
  expect(reader.messages).toHaveLength(4096);
});

test("a line that is too long to wait for is passed on between two characters", () => {
  const given: string[] = [];
  const outlet = pieceOutlet((text) => void given.push(text));
  const text = `${"é".repeat(100_000)}\nrest`;
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += 33_333) void outlet.add(bytes.subarray(at, at + 33_333));
  void outlet.end(false);
  expect(given.join("")).toBe(text);
  expect(given.length).toBeGreaterThan(2);
});

test("what a program had written when it was stopped ends with a whole character", async () => {
  const torn = Buffer.from('"oar\n"h\u00e9').subarray(0, -1);
  const given: string[] = [];
  for (const outlet of [wholeOutlet(), pieceOutlet((text) => void given.push(text))]) {
    await outlet.add(torn);
    await outlet.end(false);
    expect(outlet.text || given.join("")).toBe('"oar\n"h');
  }
});
