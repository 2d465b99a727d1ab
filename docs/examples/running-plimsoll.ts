// Artifacts in a running Plimsoll: the server decides, keeps, and shows the session on its pages.
// Run: PLIMSOLL_URL=http://127.0.0.1:4567 PLIMSOLL_TOKEN=… node docs/examples/running-plimsoll.ts
// (a token comes from `plimsoll token create --scope write`)
import { Plimsoll } from "#lib/client/index.ts";

const plimsoll = new Plimsoll({ url: process.env["PLIMSOLL_URL"]!, token: process.env["PLIMSOLL_TOKEN"]! });
const session = await plimsoll.createSession({ id: "nightly-report", title: "Nightly report", contextWindow: 200_000 });

// Give every output to Plimsoll, and the model what comes back.
const answer = await session.recordOutput(
  { rows: Array.from({ length: 2000 }, (_, i) => ({ id: i, score: (i % 100) / 100 })), next_cursor: null },
  { toolName: "search", toolCallId: "call_1", turn: 1 },
);
const envelope = JSON.parse(answer.text) as { artifact_id: string; shape: unknown };
console.log(answer.decision.action, answer.decision.sizeBytes, "bytes; limit", answer.decision.thresholdBytes);
console.log(JSON.stringify(envelope.shape));

// What the model then asks with its tools. (remoteTools() gives them to BoundedToolExecutor.)
const { artifact_id } = envelope;
console.log((await session.jqArtifact(artifact_id, "[.rows[] | select(.score > 0.97)] | length")).text);
console.log((await session.readArtifact(artifact_id, { start_char: 0, max_chars: 32 })).text.split("\n")[0]);

// Bytes of any size, as a stream; acknowledged means on the disk.
async function* lines() {
  for (let i = 0; i < 100; i++) yield Buffer.from(`line ${i}\n`.repeat(1000));
}
const log = await session.storeArtifact(lines(), { name: "build.log", contentType: "text/plain" });
console.log((await session.grepArtifact("build.log", "line 4[23]$", ["-c"])).text, "lines match");
console.log(log.name, log.sizeBytes, "bytes in", log.lineCount, "lines");

await session.closeTurn(1);
const late = await session.recordOutput("too late", { toolName: "search", turn: 1 });
console.log(late.decision.action, late.decision.gate);
// Prints:
// artifact 48679 bytes; limit 8000
// {"rows":"array(2000) of object(2 keys)","next_cursor":"null"}
// 40
// {"rows":[{"id":0,"score":0},{"id
// 2000 lines match
// build.log 790000 bytes in 100000 lines
// drop late
