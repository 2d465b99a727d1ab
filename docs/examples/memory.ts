// An agent that runs on the memory kernel: turns, a tool, a compaction before the next call, and the request after it.
// Run: node docs/examples/memory.ts
import {
  CompactionPolicy,
  Compactor,
  extractiveSummarizer,
  InMemoryMemoryStore,
  LLMRequestAssembler,
  MemoryManager,
  nodeHost,
  render,
} from "#lib/client/index.ts";

// `openMemory({ agentId: "harbour", host: nodeHost })` instead keeps it in ./memory/agents/harbour.
const store = new InMemoryMemoryStore();
const policy = new CompactionPolicy({ rawTailTurns: 1 });
const compactor = new Compactor({ store, policy, summarizer: extractiveSummarizer, host: nodeHost });
const memory = MemoryManager.open({ store, host: nodeHost, agentId: "harbour", compactionPolicy: policy, compactor });
const assembler = new LLMRequestAssembler(memory, { render: (messages) => render(messages, "anthropic").request });

// One turn: what the person said, what the model asked, what the tool gave, what the model said.
async function turn(said: string, path: string, content: string, answer: string): Promise<void> {
  const id = memory.startTurn();
  await memory.ingestUserMessage(said, id);
  await assembler.prepareRequest(said, id, "You keep the harbour's books.");
  await memory.ingestToolIntent({ id: `call_${id}`, name: "read_file", arguments: { path } }, id);
  await memory.ingestToolResult({ toolName: "read_file", toolInvocationId: `call_${id}`, result: content }, id);
  await memory.ingestAssistantResponse({ content: answer }, id);
}
await turn("How high is the tide at noon? Never round it.", "tides.csv", "noon,4.32\nsix,1.08", "4.32 m at noon.");
await turn("And which berth is free?", "berths.csv", "3,free\n4,taken", "Berth 3 is free.");

// The provider says how large the last prompt was: over the budget, the next request compacts first.
memory.observeUsage({ promptTokens: 9000, epochId: memory.epochId }, { inputBudget: 8000 });
const next = memory.startTurn();
await memory.ingestUserMessage("Book it.", next);
const request = await assembler.prepareRequest("Book it.", next);
console.log(request.didCompact, request.compaction?.status, `epoch ${request.epochId}`);
console.log(store.list("episodic").length, "episodic item,", store.list("raw_trace").length, "traces stay");
const text = JSON.stringify(request.renderedPayload);
console.log(text.includes("Never round it"), text.includes("Berth 3 is free"), text.includes("Book it."));
// Prints:
// true complete epoch 2
// 1 episodic item, 5 traces stay
// true true true
