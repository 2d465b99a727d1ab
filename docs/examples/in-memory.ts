// Artifacts in the memory of one run: nothing on disk, nothing to start.
// Run: node docs/examples/in-memory.ts
import { artifactTools, getArtifact, listArtifacts, storeArtifact, withArtifacts } from "#lib/client/index.ts";

// Whatever your framework hands to tools will do, as long as it has a `sessionState`.
const ctx = { sessionState: {} };

// By hand: keep a value, put its pointer into the context.
const orders = Array.from({ length: 3000 }, (_, i) => ({ id: i + 1, total: (i * 37) % 500, paid: i % 11 !== 0 }));
const stored = storeArtifact(ctx, orders, { name: "orders", contentType: "application/json" });
console.log(stored.preview.slice(0, 62), "…", stored.sizeBytes, "bytes");
console.log((getArtifact(ctx, stored.pointer)!.value as typeof orders).length, "orders came back as objects");

// By themselves: results over the limit become artifacts, and the model sees an envelope.
const fetchLogs = { name: "fetchLogs", execute: () => "GET /health 200\n".repeat(10_000) };
const tools = withArtifacts(ctx, [fetchLogs], { enabled: true, maxToolOutputBytes: 51_200, previewChars: 32 });
console.log(tools.map((tool) => tool.name).join(", "));
const call = { call_id: "call_1", signal: new AbortController().signal, deadlineAt: Date.now() + 45_000 };
const seen = JSON.parse(String(await tools[0]!.execute({}, call))) as Record<string, unknown>;
console.log(JSON.stringify(seen["preview"]), "|", seen["sizeBytes"], "bytes |", seen["note"]);

// The model reads it back by its name or pointer, in pages.
const read = artifactTools(ctx).find((tool) => tool.name === "getArtifact")!;
const page = read.execute({ pointerOrName: "fetchLogs_call_1", start_line: 9_999 });
console.log(page.trimEnd().split("\n").length, "lines to the end");
console.log(read.execute({ pointerOrName: "orderz" }));

// The state is plain data: save it with your session, and the pointers still work.
const restored = { sessionState: JSON.parse(JSON.stringify(ctx.sessionState)) as Record<string, unknown> };
console.log(
  listArtifacts(restored)
    .map(({ name, sizeBytes }) => `${name} ${sizeBytes}`)
    .join(", "),
);
// Prints:
// [{"id":1,"total":0,"paid":false},{"id":2,"total":37,"paid":tru … 106507 bytes
// 3000 orders came back as objects
// fetchLogs, storeArtifact, getArtifact, listArtifacts
// "GET /health 200\nGET /health 200\n...(truncated, 159968 more chars)" | 160000 bytes | Output too large; full value stored as artifact. Call getArtifact(pointer) to read it.
// 2 lines to the end
// [no artifact found for 'orderz']
// orders 106507, fetchLogs_call_1 160000
