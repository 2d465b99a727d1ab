import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { JqPiece } from "#lib/wire/playground-schema.ts";
import { AppError } from "#lib/kernel/errors.ts";
import { requestOf, EMPTY } from "./work.ts";
import { Runner, waitAfter } from "./runner.ts";

const END: Extract<JqPiece, { type: "end" }> = {
  type: "end",
  ok: true,
  failure: null,
  outputBytes: 2,
  isCut: false,
  values: 1,
  inputValues: 1,
  messages: "",
  ms: 1,
  deadlineMs: 2000,
  runId: null,
};
const ask = (program: string) => requestOf({ ...EMPTY, program }, []);

type Sent = { program: string; deadlineMs: number; isKept: boolean; signal: AbortSignal };

/** A door that answers what the test says. */
function door(answer: (sent: Sent) => readonly JqPiece[] | "never" | Error) {
  const sent: Sent[] = [];
  const fetch = async (_path: string, init?: RequestInit): Promise<Response> => {
    const one = { ...(JSON.parse(String(init?.body)) as Sent), signal: init!.signal! };
    sent.push(one);
    const pieces = answer(one);
    if (pieces instanceof Error) throw pieces;
    return new Response(
      new ReadableStream({
        start(stream) {
          if (pieces === "never")
            return void one.signal.addEventListener("abort", () => stream.error(new Error("cut")));
          const text = pieces.map((piece) => `${JSON.stringify(piece)}\n`).join("");
          // Cut in the middle of a line and of a character.
          const bytes = new TextEncoder().encode(text);
          for (let at = 0; at < bytes.length; at += 7) stream.enqueue(bytes.slice(at, at + 7));
          stream.close();
        },
      }),
    );
  };
  return { sent, runner: new Runner({ fetch }) };
}

const settled = () => vi.advanceTimersByTimeAsync(500);

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("what is typed runs once it rests, and its pieces are its output", async () => {
  const { sent, runner } = door(() => [{ type: "output", text: '"tide' }, { type: "output", text: ' 潮"\n' }, END]);
  runner.type(ask(".a"));
  runner.type(ask(".ab"));
  await settled();
  expect(sent.map(({ program }) => program)).toEqual([".ab"]);
  expect(runner.get()).toMatchObject({ phase: "ended", isOld: false, end: { ok: true } });
  expect(runner.get().output.text).toBe('"tide 潮"\n');
});

test("a run ends the one before", async () => {
  const { sent, runner } = door(({ program }) => (program === "slow" ? "never" : [END]));
  runner.run(ask("slow"));
  await settled();
  expect(runner.get().phase).toBe("running");
  runner.type(ask("quick"));
  expect(sent[0]!.signal.aborted).toBe(false);
  await settled();
  expect(sent[0]!.signal.aborted).toBe(true);
  expect(runner.get()).toMatchObject({ phase: "ended", refusal: null, request: { program: "quick" } });
});

test("an unfinished program leaves the output that stands there; any other failure shows its own", async () => {
  const failure = (kind: "compile" | "runtime") => ({ kind, message: "no", line: 1, column: 1 });
  const { runner } = door(({ program }) =>
    program === "good"
      ? [{ type: "output", text: "1\n" }, END]
      : [{ ...END, ok: false, failure: failure(program === "half" ? "compile" : "runtime") }],
  );
  runner.run(ask("good"));
  await settled();
  runner.run(ask("half"));
  await settled();
  expect(runner.get()).toMatchObject({ isOld: true, end: { ok: false } });
  expect(runner.get().output.text).toBe("1\n");
  runner.run(ask("bad"));
  await settled();
  expect(runner.get()).toMatchObject({ isOld: false });
  expect(runner.get().output.text).toBe("");
});

test("what was left alone is kept once; what was asked by hand at once; an unfinished one never", async () => {
  const { sent, runner } = door(({ program }) =>
    program === "half" ? [{ ...END, ok: false, failure: { kind: "compile", message: "", line: 1, column: 1 } }] : [END],
  );
  const kept = () => sent.filter(({ isKept }) => isKept).map(({ program }) => program);
  runner.type(ask("typed"));
  await vi.advanceTimersByTimeAsync(9000);
  expect(kept()).toEqual(["typed"]);
  runner.type(ask("typed"));
  await vi.advanceTimersByTimeAsync(9000);
  runner.type(ask("half"));
  await vi.advanceTimersByTimeAsync(9000);
  expect(kept()).toEqual(["typed"]);
  runner.run(ask("asked"), 60_000);
  await settled();
  expect(kept()).toEqual(["typed", "asked"]);
  expect(sent.at(-1)).toMatchObject({ deadlineMs: 60_000 });
});

test("a refusal and an answer that breaks off are told; the next run works", async () => {
  const { runner } = door(({ program }) =>
    program === "refused" ? new AppError("not_found", "No such artifact.") : program === "cut" ? [] : [END],
  );
  runner.run(ask("refused"));
  await settled();
  expect(runner.get().refusal).toEqual({ code: "not_found", message: "No such artifact." });
  runner.run(ask("cut"));
  await settled();
  expect(runner.get().refusal?.message).toContain("Connection lost");
  runner.run(ask("good"));
  await settled();
  expect(runner.get()).toMatchObject({ refusal: null, end: { ok: true } });
});

test("the wait grows with the last run, within reason", () => {
  expect([0, 20, 200, 9000].map(waitAfter)).toEqual([40, 40, 100, 400]);
});
