// The AI SDK's tools and prompts as its types have them; docs/frameworks/ai-sdk-example.ts runs the SDK itself.
import { dynamicTool, jsonSchema, type ToolExecutionOptions } from "ai";
import { expect, test } from "vitest";
import { artifactMiddleware, wrapTools } from "./ai-entry.ts";
import { ArtifactKit } from "./artifact-kit.ts";

const LARGE = "a line of the log\n".repeat(2000);
const inputSchema = jsonSchema<unknown>({ type: "object" });
const options = { toolCallId: "c1", messages: [] } as unknown as ToolExecutionOptions<never>;

test("a tool that yields pieces keeps them, and its last is offloaded; one without execute stays as it is", async () => {
  const pieces = async function* () {
    yield "reading";
    yield LARGE;
  };
  const remote = { inputSchema, description: "run elsewhere" };
  const tools = wrapTools({ log: dynamicTool({ inputSchema, execute: pieces }), remote }, new ArtifactKit());
  const seen: unknown[] = [];
  for await (const piece of tools.log.execute!({}, options) as AsyncIterable<unknown>) seen.push(piece);
  expect(seen).toEqual(["reading", expect.stringMatching(/^{"artifact_id"/)]);
  expect(tools.remote).toBe(remote);
});

test("a tool's own toModelOutput comes first: its code has the whole, its model the envelope, each time the same", async () => {
  const content = { type: "content" as const, value: [{ type: "text" as const, text: LARGE }] };
  const tool = dynamicTool({ inputSchema, execute: () => Promise.resolve(LARGE), toModelOutput: () => content });
  const { log } = wrapTools({ log: tool }, new ArtifactKit());
  expect(await log.execute!({}, options)).toBe(LARGE);
  const of = { toolCallId: "c1", input: {}, output: LARGE };
  const once = await log.toModelOutput!(of);
  expect(once).toMatchObject({
    type: "content",
    value: [{ type: "text", text: expect.stringMatching(/^{"artifact_id"/) }],
  });
  expect(await log.toModelOutput!(of)).toBe(once);
});

test("a call without options does not throw after the tool has run", async () => {
  const { log } = wrapTools(
    { log: dynamicTool({ inputSchema, execute: () => Promise.resolve(LARGE) }) },
    new ArtifactKit(),
  );
  expect(await (log.execute as unknown as (input: unknown) => Promise<string>)({})).toMatch(/^{"artifact_id"/);
});

test("results in a prompt that nobody wrapped are offloaded, errors as errors; small ones and denials stay", async () => {
  const part = (toolCallId: string, output: object) => ({ type: "tool-result", toolName: "log", toolCallId, output });
  const small = part("c3", { type: "text", value: "ok" });
  const denied = part("c4", { type: "execution-denied" });
  const prompt = [
    { role: "user", content: [{ type: "text", text: LARGE }] },
    {
      role: "tool",
      content: [
        part("c1", { type: "json", value: { log: LARGE } }),
        part("c2", { type: "error-text", value: LARGE }),
        small,
        denied,
      ],
    },
  ];
  const { transformParams } = artifactMiddleware(new ArtifactKit());
  const { prompt: made } = await transformParams!({ params: { prompt }, type: "generate" } as never);
  expect(made[0]).toBe(prompt[0]);
  const [json, error, ...rest] = (made[1] as unknown as { content: { output: { type: string; value: string } }[] })
    .content;
  expect([json!.output.type, error!.output.type, rest]).toEqual(["text", "error-text", [small, denied]]);
  for (const { output } of [json!, error!]) expect(output.value).toMatch(/^{"artifact_id"/);
  expect(error!.output.value).toContain('"is_error":true');
});
