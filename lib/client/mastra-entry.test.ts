// Mastra's tools as its types have them; docs/frameworks/mastra-example.ts runs the SDK itself.
import { createTool, Tool } from "@mastra/core/tools";
import { expect, test } from "vitest";
import { z } from "zod";
import { ArtifactKit } from "./artifact-kit.ts";
import { wrapTools } from "./mastra-entry.ts";

const LARGE = "a line of the log\n".repeat(2000);
const ENVELOPE = expect.stringMatching(/^{"artifact_id"/);
const log = { id: "log", description: "Reads the log", inputSchema: z.object({ day: z.number() }) };
const inAgent = { agent: { toolCallId: "c1", messages: [] } } as never;
const inWorkflow = { workflow: { runId: "r1", workflowId: "w1" } } as never;

test("an output of a schema is checked, then offloaded for an agent; a workflow's step has the whole", async () => {
  const outputSchema = z.object({ text: z.string() });
  const own = createTool({ ...log, outputSchema, execute: () => Promise.resolve({ text: LARGE }) });
  const wrapped = wrapTools({ log: own }, new ArtifactKit());
  expect(wrapped.log).toBeInstanceOf(Tool);
  expect(await wrapped.log.execute!({ day: 1 }, inAgent)).toEqual(ENVELOPE);
  expect(await wrapped.log.execute!({ day: 1 }, inWorkflow)).toEqual({ text: LARGE });
  expect(await own.execute!({ day: 1 }, inAgent)).toEqual({ text: LARGE });
  const wrong = createTool({ ...log, outputSchema, execute: () => Promise.resolve(LARGE as never) });
  const { log: checked } = wrapTools({ log: wrong }, new ArtifactKit());
  expect(await checked.execute!({ day: 1 }, inAgent)).toMatchObject({ error: true });
});

test("a tool's own toModelOutput comes first, and what it leaves to Mastra is offloaded too", async () => {
  const shown = { type: "content", value: [{ type: "text", text: LARGE }] };
  const execute = () => Promise.resolve(LARGE);
  const { made, left } = wrapTools(
    {
      made: createTool({ ...log, execute, toModelOutput: () => shown }),
      left: createTool({ ...log, execute, toModelOutput: () => undefined }),
    },
    new ArtifactKit(),
  );
  expect(await made.execute!({ day: 1 }, inAgent)).toBe(LARGE);
  expect(await made.toModelOutput!(LARGE)).toEqual({ type: "content", value: [{ type: "text", text: ENVELOPE }] });
  expect(await left.toModelOutput!(LARGE)).toEqual({ type: "text", value: ENVELOPE });
  expect(await left.toModelOutput!("short")).toEqual({ type: "text", value: "short" });
});

test("a refused input is recorded as an error, a suspended call not at all", async () => {
  const events: unknown[] = [];
  const kit = new ArtifactKit({ recorder: { record: (one) => events.push("body" in one && one.body) } });
  const suspended = createTool({ ...log, execute: () => Promise.resolve() });
  const { refused, later } = wrapTools(
    { refused: createTool({ ...log, execute: () => Promise.resolve(1) }), later: suspended },
    kit,
  );
  expect(await later.execute!({ day: 1 }, inAgent)).toBeUndefined();
  expect(events).toEqual([]);
  await refused.execute!({ day: "one" as never }, inAgent);
  expect(events.at(-1)).toMatchObject({ type: "tool_result", toolCallId: "c1", isError: true });
});
