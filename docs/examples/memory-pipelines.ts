// What an agent's own pipelines do around the memory kernel: each result is recorded as the model gets to see it, a failure says
// what to try, old results are shed once the provider's cache is cold, artifacts are recalled. Run: node docs/examples/memory-pipelines.ts
import { ContextPruner, FailureTracker, InMemoryMemoryStore, LLMRequestAssembler } from "#lib/client/index.ts";
import { memoryIngestInputProcessor, memoryIngestToolResultProcessor, processInOrder } from "#lib/client/index.ts";
import { MemoryManager, nodeHost, recallBlock, reflect, withRecall, withReflections } from "#lib/client/index.ts";
import type { MessageStage } from "#lib/client/index.ts";

const memoryManager = MemoryManager.open({ store: new InMemoryMemoryStore(), host: nodeHost, agentId: "harbour" });
const state = { memoryManager, activeTurnId: null as string | null };

// A processor of your own, before memory's: what it makes of a result is what is recorded.
const short = {
  order: 100,
  process: <T extends { result?: unknown }>(event: T): T => ({ ...event, result: event.result && "4.32 m" }),
};
const tracker = new FailureTracker(nodeHost);
const reflections = new Map<string, ReturnType<typeof reflect>>();

await processInOrder([{ content: "How high is the tide?" }], [memoryIngestInputProcessor], state);
memoryManager.appendUserInput("How high is the tide?", state.activeTurnId);
await memoryManager.ingestToolIntents(
  [
    { id: "c1", name: "gauge", arguments: {} },
    { id: "c2", name: "read_file", arguments: { path: "tides.csv" } },
  ],
  state.activeTurnId,
);
const results = [
  { toolName: "gauge", toolInvocationId: "c1", result: "4.32 m, and much that nobody needs" },
  { toolName: "read_file", toolInvocationId: "c2", error: "ENOENT: no such file, tides.csv" },
];
for (const { toolInvocationId, toolName, error } of results)
  if (error !== undefined) reflections.set(toolInvocationId, reflect(toolName, error, tracker));
await processInOrder(results, [memoryIngestToolResultProcessor, short], state);

// Nothing is cold yet: the pruner sheds results a minute after its last touch(), and leaves the log as it is.
const pruner = new ContextPruner(nodeHost, { config: { mode: "cache-ttl", ttlMs: 60_000 } });
const entry = { artifactId: "art_0123456789abcdef", pointer: "art:…", sessionId: "harbour", createdAt: 0 };
const recalled = recallBlock([{ ...entry, summary: "tides of last year" }]);
const stages: MessageStage[] = [
  (messages) => pruner.prune(messages)?.messages ?? messages,
  (messages) => withReflections(messages, (id) => reflections.get(id) ?? null),
  (messages) => withRecall(messages, recalled),
];
const assembler = new LLMRequestAssembler(memoryManager, { render: (messages) => messages.length }, { stages });
const { messages } = await assembler.prepareRequest(null);
console.log(messages.map(({ role }) => role).join(", "));
const text = JSON.stringify(messages);
console.log(text.includes("4.32 m"), text.includes("nobody needs"));
console.log(/category: \w+/.exec(text)![0], "|", /art_\w+/.exec(text)![0]);
// Prints:
// user, assistant, tool, tool, user
// true false
// category: not_found | art_0123456789abcdef
