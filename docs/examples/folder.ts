// Artifacts in a folder, for an agent that runs tools with deadlines: what is stored survives a restart.
// Run: node docs/examples/folder.ts
import { BoundedToolExecutor, TurnState, folderBackend, getArtifactStore } from "#lib/client/index.ts";
import { nodeHost, policyOf, readFileTool } from "#lib/client/index.ts";

// One store for the process, in your data folder (or where PLIMSOLL_ARTIFACT_STORE says). 0700, files 0600.
const store = getArtifactStore();
const session = "support-run-17";

const grep = {
  name: "grep",
  execute: async () => Array.from({ length: 4000 }, (_, i) => `src/${i % 40}.ts:${i}: TODO`).join("\n"),
};
const flaky = {
  name: "flaky",
  execute: async () => {
    throw new Error("connection refused");
  },
};
const executor = new BoundedToolExecutor({
  tools: [grep, flaky, readFileTool(store, session)],
  artifacts: folderBackend(store, session),
  policy: policyOf("secondbrain"),
  host: nodeHost,
  // Why each output stands in the context as it does; `reason` is a sentence for people.
  onDecision: ({ toolName, action, gate, sizeBytes }) =>
    console.log(`${toolName}: ${sizeBytes} bytes, ${action} (${gate})`),
});

// A turn has a deadline; a tool gets what is left of it, at least 5 s and at most 45 s.
const turn = new TurnState({ now: Date.now, deadlineAt: Date.now() + 60_000 });
const run = (tool_name: string, args: unknown, call_id: string) =>
  executor.run({ call_id, tool_name, arguments: args }, turn);

const large = await run("grep", { pattern: "TODO" }, "c1");
console.log(
  large.outcome.type,
  "of",
  large.outcome.type === "ToolArtifactReference" && large.outcome.size_bytes,
  "bytes",
);

// The model follows the reference: the path (or the id) stands in it.
const { path } = JSON.parse(large.content) as { path: string };
const back = await run("read_file", { path }, "c2");
console.log(back.content.split("\n")[0], "…", back.content.split("\n").at(-1));
console.log((await run("read_file", { path: "/etc/passwd" }, "c3")).content);

const failed = await run("flaky", {}, "c4");
console.log(failed.outcome.type, "|", failed.content, "| told as an error:", failed.isError);

// After this nothing of the turn is written, whatever still runs.
turn.close_writes();
console.log((await run("grep", { pattern: "FIXME" }, "c5")).outcome.type);
console.log(store.stats().artifact_count, "artifact;", store.cleanup_session(session), "removed");
// Prints:
// grep: 81889 bytes, artifact (chars)
// ToolArtifactReference of 81889 bytes
// read_file: 81889 bytes, inline (exempt)
// src/0.ts:0: TODO … src/39.ts:3999: TODO
// read_file: 43 bytes, inline (exempt)
// read_file: only artifact paths are readable
// flaky: 18 bytes, inline (none)
// ToolFailure | connection refused | told as an error: true
// ToolDenied
// 1 artifact; 1 removed
