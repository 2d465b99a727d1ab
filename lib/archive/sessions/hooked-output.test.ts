// An output that a hook took away, in the session of the agent: what the model saw beside what is stored. Records are synthetic.
import { expect, test } from "vitest";
import { answer, asks, jsonl, prompt, result, SESSION } from "#lib/formats/claude-code/testing-claude.ts";
import { policyOf } from "#lib/kernel/artifacts/offload-presets.ts";
import { createSession } from "../artifacts/create-session.ts";
import { hookSessionName } from "../artifacts/output-spool.ts";
import { recordOutput } from "../artifacts/record-output.ts";
import type { Archive } from "../base/archive-type.ts";
import { importPaths } from "../import/import-paths.ts";
import { inArchive, put } from "../testing-archive.ts";
import { eventOutput } from "./event-output.ts";
import { listArtifacts } from "./list-artifacts.ts";
import { listEvents } from "./list-events.ts";
import { artifactsQuery } from "#lib/wire/artifacts-schema.ts";
import { eventsQuery } from "#lib/wire/events-schema.ts";

const LOG = "a line of the log\n".repeat(2000);

async function hooked(archive: Archive): Promise<{ pointer: string; envelope: string }> {
  const { id } = await createSession(archive, { id: hookSessionName("Claude Code", SESSION) });
  const about = { session: id, toolName: "Bash", toolCallId: "t1", input: {}, isError: false };
  const { decision, text } = await recordOutput(
    archive,
    { ...about, decided: { policy: policyOf(), pointer: POINTER } },
    Buffer.from(LOG),
  );
  return { pointer: decision.pointer!, envelope: text };
}
const POINTER = "art:00000000-0000-4000-8000-000000000001";

test.each(["the hook's output", "the agent's file"])("two truths, when %s comes first", (first) =>
  inArchive(async (archive, logs) => {
    const isFirst = first === "the hook's output";
    const said = isFirst ? await hooked(archive) : null;
    const envelope = said?.envelope ?? (await inArchive(hooked)).envelope;
    const file = jsonl(
      prompt("p", 0, "Run it."),
      answer("a", 1, "1", asks("t1", "Bash", { command: "make" })),
      result("r", 2, "t1", envelope),
      answer("b", 3, "2", asks("t2", "Bash", { command: "ls" })),
      result("s", 4, "t2", "art_0123456789abcdef is nobody's"),
    );
    await importPaths(archive, [put(logs, `${SESSION}.jsonl`, file)]);
    if (!isFirst) await hooked(archive);
    const name = `claude-code:${SESSION}`;
    const { events } = await listEvents(archive, name, eventsQuery.parse({ type: "tool_result" }));
    expect(events.map(({ saw, artifact, stored }) => [saw, artifact, stored?.sizeBytes ?? null])).toEqual([
      ["preview", POINTER, LOG.length],
      ["full", null, null],
    ]);
    expect(events[0]!.text).toBe(envelope);
    const { hooked: stored } = await listArtifacts(archive, artifactsQuery.parse({ session: name }));
    expect(stored).toMatchObject({ artifacts: 1, bytes: LOG.length });
    const { bytes } = await eventOutput(archive, name, events[0]!.seq);
    const pieces: Uint8Array[] = [];
    for await (const piece of bytes()) pieces.push(piece);
    expect(Buffer.concat(pieces).toString()).toBe(LOG);
  }),
);
