// Takes the tool results of an OpenClaw transcript out into artifacts, and puts one back.
// Run: node docs/examples/migrate-openclaw.ts FILE.jsonl
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { migrateSession, rehydrateMessage } from "#lib/client/index.ts";

const sessionFile = process.argv[2]!;
const host = { now: () => Date.now() };

const report = await migrateSession({ sessionFile, sessionKey: "agent:main", host });
console.log("migrated:", report.migrated, "| results:", report.updatedEntries, "| artifacts:", report.createdArtifacts);
console.log("again:", (await migrateSession({ sessionFile, host })).reason);

type Message = { role: string; content: { text: string }[]; details?: unknown };
const messages = (await readFile(sessionFile, "utf8"))
  .trimEnd()
  .split("\n")
  .map((line) => (JSON.parse(line) as { message?: Message }).message);
const result = messages.find((message) => message?.role === "toolResult")!;
console.log(result.content[0]!.text.split("\n")[0]);

// By id and digest, inside the artifacts folder alone; the call id, the error flag and the details stay.
const whole = await rehydrateMessage(result, { artifactsDir: join(dirname(sessionFile), "artifacts") });
console.log(whole.content[0]!.text);
// Prints:
// migrated: true | results: 1 | artifacts: 1
// again: already migrated
// [Tool result omitted: stored as artifact]
// a.txt
// b.txt
