// Traces of Langfuse: messages once, results with their calls, one call for a generation that is told twice.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { FORMATS } from "./index.ts";
import { langfuse } from "./langfuse.ts";

const bytes = readFileSync(join(import.meta.dirname, "fixtures", "langfuse-synthetic-session.json"));
const read = (given: Buffer) =>
  langfuse.parse(
    { bytes: given, byteStart: 0, byteEnd: given.length, line: 1 },
    langfuse.start({ path: "/t.json", head: given, sidecars: new Map() }),
  );

test("observations in any order are one conversation, and a generation inside of another is one call", () => {
  const drafts = read(bytes);
  const bodies = drafts.flatMap((draft) => (draft.kind === "event" ? [draft.body] : []));
  expect(bodies.map(({ type }) => type)).toEqual(["user", "tool_call", "tool_result", "assistant"]);
  expect(bodies[2]).toMatchObject({ toolCallId: "call_9", isError: true });
  expect(drafts.flatMap((draft) => (draft.kind === "call" ? [draft.usage] : []))).toMatchObject([
    { inputUncached: 12, output: 7 },
    { inputUncached: 30, cacheRead: 20, output: 9, reasoning: 4 },
  ]);
  expect(drafts.find(({ kind }) => kind === "reported")).toMatchObject({ usd: 1 });
});

test("a trace without observations of models is its input and output", () => {
  const trace = {
    id: "t",
    name: "n",
    timestamp: "2026-05-01T08:00:00Z",
    input: "Hello",
    output: { role: "assistant", content: "Hi" },
  };
  const drafts = read(Buffer.from(JSON.stringify({ trace, observations: [] })));
  expect(drafts.flatMap((draft) => (draft.kind === "event" ? [draft.body.type] : []))).toEqual(["user", "assistant"]);
});

test("a trace whose observations come first is known by them, also where what stands behind is not in the head", () => {
  const detect = (text: string, length = 65_536): string[] => {
    const head = Buffer.from(text).subarray(0, length);
    return FORMATS.filter((one) => one.detect({ path: "/t.json", head, sidecars: new Map() })).map(({ id }) => id);
  };
  const { trace, observations } = JSON.parse(bytes.toString()) as { trace: object; observations: object[] };
  for (const last of [{ trace }, trace])
    for (const indent of [0, 2]) {
      const text = JSON.stringify({ observations, ...last }, null, indent);
      expect(detect(text)).toEqual(["langfuse"]);
      expect(detect(text, 700)).toEqual(["langfuse"]);
    }
  expect(detect(JSON.stringify({ observations: [{ id: 1, type: "bird" }] }, null, 2))).toEqual([]);
});
