// The door of the library: memory and artifacts in process, each in a folder, opened anew by every process.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  ArtifactStore,
  BoundedToolExecutor,
  CompactionGate,
  CompactionPolicy,
  Compactor,
  extractiveSummarizer,
  folderBackend,
  LLMRequestAssembler,
  MemoryManager,
  nodeHost,
  openMemory,
  policyOf,
  readFileTool,
  render,
  TurnState,
} from "#lib/client/index.ts";
import type { GateState } from "#lib/client/index.ts";
import { OWN_SYSTEM, type OwnMemory } from "./own-memory.ts";
import { lastCompaction } from "./own-http-memory.ts";
import { ownTools } from "./own-tools.ts";
import type { OwnCall, OwnJob } from "./own-types.ts";
import type { Body } from "./script-types.ts";

/** A turn of a script ends long before. */
const TURN_MS = 60_000;

export async function libraryMemory(job: OwnJob): Promise<OwnMemory> {
  const { folder, name, budget, image, as } = job;
  const store = openMemory({ agentId: name, host: nodeHost, override: join(folder, "memory"), cwd: folder });
  const compactionPolicy = new CompactionPolicy({ rawTailTurns: 1, safetyMarginTokens: 0 });
  const compactor = new Compactor({
    store,
    policy: compactionPolicy,
    summarizer: extractiveSummarizer,
    host: nodeHost,
  });
  // What is due is due in the next process too.
  const gateFile = join(folder, "gate.json");
  const gate = existsSync(gateFile)
    ? CompactionGate.restore(JSON.parse(readFileSync(gateFile, "utf8")) as GateState)
    : new CompactionGate();
  const memory = MemoryManager.open({ store, host: nodeHost, agentId: name, compactionPolicy, compactor, gate });
  const assembler = new LLMRequestAssembler(memory, { render: (messages) => render(messages, as).request });
  const artifacts = new ArtifactStore({ base: join(folder, "artifacts") });
  const executor = new BoundedToolExecutor({
    tools: [...ownTools, readFileTool(artifacts, name)],
    artifacts: folderBackend(artifacts, name),
    policy: policyOf("secondbrain"),
    host: nodeHost,
  });
  const state = new TurnState({ now: Date.now, deadlineAt: Date.now() + TURN_MS });
  let turnId = "";
  let pending: Parameters<MemoryManager["ingestUserMessage"]>[0] | null = null;
  let epochId = 0;
  return {
    undo: () => memory.undo(lastCompaction(job)),
    async begin(content, withImage) {
      turnId = memory.startTurn();
      const imageUrls = withImage ? [`data:${image.mediaType};base64,${image.base64}`] : [];
      pending = { content, imageUrls };
      await memory.ingestUserMessage(pending, turnId);
    },
    async next() {
      const sent = await assembler.prepareRequest(pending, turnId, OWN_SYSTEM);
      pending = null;
      epochId = sent.epochId;
      return {
        request: sent.renderedPayload as Body,
        epoch: epochId,
        didCompact: sent.didCompact,
        compaction: sent.compaction?.status ?? null,
        compactionId: sent.didCompact ? (sent.compaction?.run.id ?? null) : null,
        at: store.corpus().length,
      };
    },
    async answered({ calls, text, thinking, usage }) {
      // Calls come before the words: both are one answer then.
      if (calls.length > 0) await memory.ingestToolIntents(calls.map(intentOf), turnId);
      await memory.ingestAssistantResponse({ content: text, reasoning: thinking === "" ? null : thinking }, turnId);
      const promptTokens = usage.uncached + usage.cacheRead + usage.cacheWrite;
      memory.observeUsage({ promptTokens, epochId }, { inputBudget: budget });
    },
    async run(calls) {
      const done = await Promise.all(
        calls.map(({ id, name: tool_name, input }) =>
          executor.run({ call_id: id, tool_name, arguments: input }, state),
        ),
      );
      const results = done.map(({ content, isError, outcome }, i) => ({
        toolName: calls[i]!.name,
        toolInvocationId: calls[i]!.id,
        result: isError ? null : content,
        error: isError ? content : null,
        toolResultRef: outcome.type === "ToolArtifactReference" ? outcome.artifact_id : null,
      }));
      await memory.ingestToolResults(results, turnId);
    },
    close() {
      writeFileSync(gateFile, JSON.stringify(memory.gate.state));
      store.close();
    },
  };
}

const intentOf = ({ id, name, input, native }: OwnCall) => ({
  id,
  name,
  arguments: input,
  nativeToolCallContext: native,
});
