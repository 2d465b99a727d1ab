// Two properties of every tool, for the tests and for the long run: answers stay under their bound and are never offloaded,
// and a session answers as if it were alone.
import { hash } from "node:crypto";
import fc from "fast-check";
import { isEnvelope } from "#lib/kernel/artifacts/envelope.ts";
import { decideOffload } from "#lib/kernel/artifacts/offload.ts";
import { PRESETS } from "#lib/kernel/artifacts/offload-presets.ts";
import { toolOf } from "./run-tool.ts";
import { READINGS, withTools, type Bench } from "./testing-archive-tools.ts";

/** Contents that grow where a bound might not look: long lines, many lines, wide characters, JSON, bytes. */
const content = fc.oneof(
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.constantFrom("x", "é", "€", "😀", "\r", "\n", '"', "\\"), fc.nat(600_000))
      .map(([unit, length]) => Buffer.from(unit.repeat(Math.ceil(length / Buffer.byteLength(unit))))),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.string({ unit: "grapheme", maxLength: 200 }), fc.nat(20_000))
      .map(([line, lines]) =>
        Buffer.from(`${line.toWellFormed()}\n`.repeat(Math.min(lines, 2_000_000 / (line.length + 1)))),
      ),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.json(), fc.nat(3000))
      .map(([value, times]) =>
        Buffer.from(`[${Array.from({ length: times + 1 }, () => value).join(",")}]`.slice(0, 3_000_000)),
      ),
  },
  {
    weight: 1,
    arbitrary: fc
      .uint8Array({ maxLength: 3000 })
      .map((bytes) => Buffer.concat(Array.from({ length: 200 }, () => bytes))),
  },
);

const question = fc.record(
  {
    start_line: fc.nat(30_000),
    end_line: fc.nat(60_000),
    start_char: fc.nat(400_000),
    max_chars: fc.integer({ min: 1, max: 65_536 }),
    encoding: fc.constantFrom("raw", "base64"),
  },
  { requiredKeys: [] },
);

const grepOptions = fc.subarray(["-n", "-v", "-i", "-o", "-w", "-c", "-A5", "-B5", "-F"]);
const programs = fc.constantFrom(
  ".",
  ".[]",
  "..",
  "tojson",
  "[.,.]",
  "keys",
  ".[] | length",
  "error",
  "[limit(9; repeat(.))]",
);

/** Whatever is stored and asked, no answer is over its tool's bound, and no preset would store it again. */
export const boundsProperty = (): fc.IAsyncProperty<unknown> =>
  fc.asyncProperty(
    fc.array(fc.tuple(content, question, grepOptions, programs), { minLength: 1, maxLength: 3 }),
    (request) =>
      withTools(async ({ put, call }) => {
        for (const [bytes, part, grep_options, expression] of request) {
          const { pointer } = await put(bytes);
          const calls: [string, object][] = [
            ...READINGS.map(([tool, input]): [string, object] => [tool, input(pointer)]),
            ["artifact_read", { artifact_id: pointer, ...part }],
            ["artifact_grep", { artifact_id: pointer, pattern: "x|.", grep_options }],
            ["artifact_jq", { artifact_id: pointer, expression, raw_output: true }],
            ["artifact_list", { limit: 200 }],
            ["listArtifacts", {}],
          ];
          for (const [name, input] of calls) requireBound(name, await call(name, input), bytes);
        }
      }),
  ) as fc.IAsyncProperty<unknown>;

function requireBound(name: string, answer: Awaited<ReturnType<Bench["call"]>>, bytes: Buffer): void {
  const size = Buffer.byteLength(answer.text);
  if (size !== answer.bytes) throw new Error(`${name} says ${answer.bytes} bytes and gives ${size}.`);
  const most = toolOf(name).maxBytes;
  if (size > most) throw new Error(`${name} gives ${size} bytes; its bound is ${most}.`);
  if (isEnvelope(answer.text) && answer.text !== bytes.toString()) throw new Error(`${name} gives an envelope.`);
  for (const policy of Object.values(PRESETS)) {
    const { action } = decideOffload(
      { toolName: name, sizeBytes: size, chars: answer.text.length, isEnvelope: false },
      { policy, availableTools: [name], usedInputTokens: 1e9, writesClosed: false },
    );
    if (action !== "inline") throw new Error(`${policy.preset} would ${action} an answer of ${name}.`);
  }
}

const CONTENTS = ["", "one", "two\nlines\n", '{"a":[1,2,3]}', "\0bytes", "one more"];
const NAMES = ["log", "art:log", "mine/log", "plimsoll:other/log", "__proto__"];

const step = fc.record({
  session: fc.constantFrom("mine", "other"),
  content: fc.constantFrom(...CONTENTS),
  name: fc.option(fc.constantFrom(...NAMES), { nil: undefined }),
  toolName: fc.constantFrom("bash", "read"),
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** What `mine` is answered is the same whatever `other` stored: with it, and in an archive where it never was. */
export const aloneProperty = (): fc.IAsyncProperty<unknown> =>
  fc.asyncProperty(fc.array(step, { maxLength: 10 }), async (steps) => {
    const together = await answersOf(steps);
    const alone = await answersOf(steps.map((one) => (one.session === "other" ? null : one)));
    for (const [i, answer] of together.entries())
      if (answer !== alone[i]) throw new Error(`Beside another session: ${answer}\nAlone: ${alone[i]}`);
  }) as fc.IAsyncProperty<unknown>;

/** All answers to all references that the steps make, with pointers by the number of their step. */
const answersOf = (steps: readonly (Step | null)[]): Promise<string[]> =>
  withTools(async ({ put, text }) => {
    const never = (i: number): string => `art:00000000-0000-4000-8000-${String(i).padStart(12, "0")}`;
    const pointers: string[] = [];
    for (const [i, one] of steps.entries()) {
      const { content, name, ...request } = one ?? { content: "" };
      const stored = one === null ? null : await put(content, { ...request, ...(name !== undefined && { name }) });
      pointers.push(stored?.pointer ?? never(i));
    }
    const plain = (answer: string): string =>
      pointers.reduce((result, pointer, i) => result.replaceAll(pointer.slice(4), `uuid ${i}`), answer);
    const refs = [
      ...pointers,
      ...NAMES,
      ...CONTENTS.flatMap((content) => {
        const digest = hash("sha256", content, "hex");
        return [digest, `sha256:${digest}`, `art_${digest.slice(0, 16)}`, `art_${digest}`];
      }),
    ];
    const answers = [await text("listArtifacts", {}), await text("artifact_list", { limit: 3, tool_name: "bash" })];
    for (const ref of refs)
      for (const [tool, input] of READINGS)
        // jq takes a hundred times as long as the others, and finds an artifact as they do.
        if (tool !== "artifact_jq") answers.push(await text(tool, input(ref)));
    return answers.map(plain);
  });
