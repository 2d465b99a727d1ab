// An agent's own pipelines around the memory kernel, with what the library offers for them.
import { expect, test } from "vitest";
import {
  FailureTracker,
  InMemoryMemoryStore,
  LLMRequestAssembler,
  memoryIngestInputProcessor,
  memoryIngestToolResultProcessor,
  MemoryManager,
  nodeHost,
  reflect,
  withReflections,
} from "./index.ts";

const memoryOf = (): MemoryManager => new MemoryManager({ store: new InMemoryMemoryStore(), host: nodeHost });

test("processors run by their order, and memory holds what those before it made of a message", async () => {
  type Input = { content: string };
  const trim = { order: 100, process: async (input: Input) => ({ content: input.content.trim() }) };
  const mask = {
    order: 500,
    process: async (input: Input) => ({ content: input.content.replace("s3cret", "[masked]") }),
  };
  const state = { memoryManager: memoryOf(), activeTurnId: null as string | null };
  const memory = {
    order: memoryIngestInputProcessor.order,
    process: (input: Input) => memoryIngestInputProcessor.process(input, state),
  };
  let input: Input = { content: "  The key is s3cret.  " };
  for (const one of [memory, mask, trim].toSorted((a, b) => a.order - b.order)) input = await one.process(input);
  await memoryIngestToolResultProcessor.process({ toolName: "ls", toolInvocationId: "c1", result: "a.txt" }, state);
  expect(state.memoryManager.store.listTraces()).toMatchObject([
    { traceType: "user", content: "The key is [masked].", turnId: "turn_0001" },
    { traceType: "tool_result", turnId: "turn_0001" },
  ]);
});

test("a stage of the request says what to do after a failure, and memory keeps the error as it was", async () => {
  const memory = memoryOf();
  const turn = memory.startTurn();
  await memory.ingestToolIntent({ id: "c1", name: "read_file", arguments: { path: "x" } }, turn);
  const error = "ENOENT: no such file x";
  await memory.ingestToolResult({ toolName: "read_file", toolInvocationId: "c1", result: null, error }, turn);
  const said = reflect("read_file", error, new FailureTracker(nodeHost));
  const assembler = new LLMRequestAssembler(
    memory,
    { render: (messages) => messages },
    {
      stages: [(messages) => withReflections(messages, (id) => (id === "c1" ? said : null))],
    },
  );
  const { messages } = await assembler.prepareRequest("And now?", turn);
  expect(JSON.stringify(messages)).toContain("category: not_found");
  expect(memory.store.listTraces().at(-1)).toMatchObject({ toolError: error });
});
