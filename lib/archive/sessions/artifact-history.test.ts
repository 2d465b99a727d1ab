// What the page of one artifact says beside its bytes.
import { writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { wouldOffload } from "#lib/kernel/artifacts/testing-would-offload.ts";
import { PRESETS, PRESET_NAMES } from "#lib/kernel/artifacts/offload-presets.ts";
import {
  answer,
  asks,
  idOf,
  jsonl,
  line,
  prompt,
  result,
  text,
  used,
} from "#lib/formats/claude-code/testing-claude.ts";
import { eventsQuery } from "#lib/wire/events-schema.ts";
import { artifactsQuery } from "#lib/wire/artifacts-schema.ts";
import { artifactHistory as historySchema } from "#lib/wire/artifact-history-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { artifactHistory } from "./artifact-lineage.ts";
import { createSession } from "../artifacts/create-session.ts";
import { deleteArtifact } from "../artifacts/delete-artifact.ts";
import { flushReads, noteRead } from "../artifacts/note-read.ts";
import { recordOutput } from "../artifacts/record-output.ts";
import { storeArtifact } from "../artifacts/store-artifact.ts";
import { importPaths } from "../import/import-paths.ts";
import { eventRowId } from "../base/row-keys.ts";
import { listArtifacts } from "./list-artifacts.ts";
import { getEvent, listEvents } from "./list-events.ts";
import { readPolicy, savePolicy } from "../settings/offload-policy.ts";
import { showArtifact } from "./show-artifact.ts";
import { inArchive, put } from "../testing-archive.ts";
import { triedPresets } from "../load/tried-presets.ts";

const bytes = (value: string): Uint8Array => new TextEncoder().encode(value);
const ROWS = JSON.stringify({ rows: Array.from({ length: 900 }, (_, id) => ({ id, berth: "dry dock" })), next: "p2" });

/** A session that was imported: one large output, sent with two calls, then compacted away. */
async function compacted(archive: Archive, logs: string): Promise<string> {
  const records = [
    prompt("1", 1, "x"),
    answer("2", 2, "1", asks("t1", "Read", { file_path: "/early" }), { usage: used(1000, 0, 0, 1) }),
    result("3", 3, "t1", "early words ".repeat(900)),
    answer("4", 4, "2", text("a"), { usage: used(9000, 0, 0, 1) }),
    prompt("5", 5, "go on"),
    answer("6", 6, "3", text("b"), { usage: used(9100, 0, 0, 1) }),
    line("system", "7", 7, { subtype: "compact_boundary", compactMetadata: { trigger: "auto", preTokens: 9200 } }),
    prompt("8", 8, "summary", { isCompactSummary: true }),
    answer("9", 9, "4", text("c"), { usage: used(500, 0, 0, 1) }),
  ].map((record) => ({ ...record, sessionId: idOf("load") }));
  put(logs, `${idOf("load")}.jsonl`, jsonl(...records));
  await importPaths(archive, [logs]);
  return (await listArtifacts(archive, artifactsQuery.parse({}))).artifacts[0]!.pointer;
}

test("an output that the model had whole is told with its calls and the compaction that ended its stay", () =>
  inArchive(async (archive, logs) => {
    const history = historySchema.parse(await artifactHistory(archive, await compacted(archive, logs)));
    expect(history.lineage).toMatchObject({
      saw: "full",
      text: null,
      enteredAt: 2,
      lastCall: 3,
      callsResident: 2,
      calls: 4,
      endedBy: { tokensBefore: 9100, tokensAfter: 500 },
    });
    expect(history.decision).toBeNull();
    const verdicts = new Map(history.presets.map((verdict) => [verdict.preset, verdict.action]));
    expect([...verdicts.keys()]).toEqual([...PRESET_NAMES]);
    expect([verdicts.get("plimsoll"), verdicts.get("agentium"), verdicts.get("off")]).toEqual([
      "artifact",
      "inline",
      "inline",
    ]);
  }));

test("an output that was offloaded is told with its envelope, its decision and the calls that read it back", () =>
  inArchive(async (archive) => {
    const { id: session } = await createSession(archive, { id: "s" });
    const input = { session, toolName: "query", toolCallId: "c1", isError: false };
    const { artifact, text: seen } = await recordOutput(archive, input, bytes(ROWS));
    const { pointer, artifactId } = artifact!;
    const ask = { artifact_id: artifactId, expression: ".next" };
    await recordOutput(
      archive,
      { session, toolName: "artifact_jq", toolCallId: "c2", input: ask, isError: false },
      bytes('"p2"'),
    );
    await recordOutput(
      archive,
      {
        session,
        toolName: "artifact_read",
        toolCallId: "c3",
        input: { artifact_id: "art_0000000000000000" },
        isError: true,
      },
      bytes("[no artifact found]"),
    );
    noteRead(archive, { pointer, who: "agent", tool: "artifact_jq", request: ask, bytes: 4, isError: false });
    await flushReads(archive);

    const history = historySchema.parse(await artifactHistory(archive, pointer));
    expect(history.lineage).toMatchObject({ saw: "envelope", text: seen, callsResident: 0, calls: 0, endedBy: null });
    expect(history.lineage!.whole.tokens).toBeGreaterThan(history.lineage!.seen.tokens * 5);
    expect(history.decision).toMatchObject({ action: "artifact", gate: "size", preset: "plimsoll", pointer });
    expect(history.reads).toMatchObject({
      total: 1,
      bytes: 4,
      errors: 0,
      rows: [{ who: "agent", tool: "artifact_jq", request: JSON.stringify(ask), isError: false }],
    });
    expect(history.reads.calls).toMatchObject([{ toolName: "artifact_jq", input: '{"expression":".next"}' }]);
  }));

test("a name's history tells what had it before and what has it now", () =>
  inArchive(async (archive) => {
    const { id: session } = await createSession(archive, { id: "s" });
    const first = await storeArtifact(archive, { session, name: "report" }, bytes("one"));
    const second = await storeArtifact(archive, { session, name: "report" }, bytes("two"));
    const result = async (pointer: string) =>
      (await artifactHistory(archive, pointer)).names.map((one) => [one.pointer, one.isCurrent, one.isThis]);
    expect(await result(first.pointer)).toEqual([
      [second.pointer, true, false],
      [first.pointer, false, true],
    ]);
    expect((await result(second.pointer))[0]).toEqual([second.pointer, true, true]);
    expect((await artifactHistory(archive, first.pointer)).lineage).toBeNull();
  }));

test("a shape is an outline of its root keys", () =>
  inArchive(async (archive) => {
    const { id: session } = await createSession(archive, { id: "s" });
    const { pointer } = await storeArtifact(archive, { session, name: "rows.json" }, bytes(ROWS));
    expect((await showArtifact(archive, pointer)).outline).toEqual([
      ["rows", "array(900) of object(2 keys)"],
      ["next", "string"],
    ]);
  }));

test("a tombstone, an artifact whose time is over and damaged bytes are each shown as what they are", () =>
  inArchive(async (archive) => {
    const { id: session } = await createSession(archive, { id: "s" });
    const store = (name: string, ttlSeconds?: number) =>
      storeArtifact(
        archive,
        { session, name, origin: "manual", ...(ttlSeconds !== undefined && { ttlSeconds }) },
        bytes(name.repeat(3000)),
      );
    const [live, gone, short, rotten] = [await store("l"), await store("g"), await store("s", 0.001), await store("r")];
    await deleteArtifact(archive, gone.pointer);
    writeFileSync(archive.blobs.path!(rotten.digest), "x".repeat(3000));
    archive.sqlite.prepare("UPDATE artifacts SET expires_at = 1 WHERE pointer = ?").run(short.pointer);
    const twin = await store("l");
    expect((await showArtifact(archive, live.pointer)).sameBytes.map((one) => one.pointer)).toEqual([twin.pointer]);
    await deleteArtifact(archive, twin.pointer);
    expect((await showArtifact(archive, live.pointer)).sameBytes).toEqual([]);
    const states = async (pointer: string) => {
      const { state, bytes: stored } = await showArtifact(archive, pointer);
      return [state, stored];
    };
    expect(await states(live.pointer)).toEqual(["live", "sound"]);
    expect((await states(gone.pointer))[0]).toBe("deleted");
    expect((await states(short.pointer))[0]).toBe("expired");
    expect(await states(rotten.pointer)).toEqual(["live", "damaged"]);
    // It is in quarantine now, and still told as what it is.
    expect(await states(rotten.pointer)).toEqual(["live", "damaged"]);
    const listed = async (query: object) =>
      (await listArtifacts(archive, artifactsQuery.parse(query))).artifacts.map(({ name }) => name).toSorted();
    expect(await listed({ state: "live" })).toEqual(["l", "r"]);
    expect(await listed({ state: "expired" })).toEqual(["s"]);
    expect(await listed({ state: "deleted" })).toEqual(["g", "l"]);
    expect(await listed({ origin: "manual" })).toEqual(["g", "l", "l", "r", "s"]);
    expect(await listed({ origin: "auto" })).toEqual([]);
  }));

test("an event whose artifact was deleted says so, and keeps the beginning that it has", () =>
  inArchive(async (archive, logs) => {
    const pointer = await compacted(archive, logs);
    const found = async () =>
      (await listEvents(archive, idOf("load"), eventsQuery.parse({ type: "tool_result" }))).events[0]!;
    expect((await found()).stored).toMatchObject({ pointer, state: "live" });
    await deleteArtifact(archive, pointer);
    const event = await found();
    expect(event.stored).toMatchObject({ pointer, state: "deleted", sizeBytes: 10_800 });
    expect(event.text).toMatch(/^early words /);
    expect((await getEvent(archive, idOf("load"), event.seq)).text).toMatch(/^early words /);
  }));

test("the default policy is what was saved, by what differs from its preset", () =>
  inArchive(async (archive) => {
    expect(await readPolicy(archive)).toMatchObject({ policy: { preset: "plimsoll" }, changed: [], isSet: false });
    const saved = await savePolicy(archive, { preset: "window", max_threshold_bytes: 20_000 });
    expect(saved).toMatchObject({
      policy: { context_percentage: 0.05 },
      changed: ["max_threshold_bytes"],
      isSet: true,
    });
    const { policy } = await createSession(archive, { id: "s" });
    expect(policy).toMatchObject({ preset: "window", max_threshold_bytes: 20_000 });
    await expect(savePolicy(archive, { preset: "window", max_bytes: -1 })).rejects.toMatchObject({ code: "invalid" });
    expect(await savePolicy(archive, null)).toMatchObject({ policy: { preset: "plimsoll" }, isSet: false });
  }));

test("of two who save the default policy at once one is refused", () =>
  inArchive(async (archive) => {
    const { policy: seen } = await readPolicy(archive);
    const both = await Promise.allSettled([savePolicy(archive, "window", seen), savePolicy(archive, "agentium", seen)]);
    expect(both.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    expect(both.find(({ status }) => status === "rejected")).toMatchObject({ reason: { code: "conflict" } });
  }));

test("the presets, tried on many outputs, do what each decision alone would", () =>
  inArchive(async (archive) => {
    const { sqlite } = archive;
    sqlite.exec(
      "INSERT INTO sessions (pk, id, native_id, format, window) VALUES (7, 's_7', 'codex:7', 'codex', 90000)",
    );
    const add = sqlite.prepare(
      "INSERT INTO events (id, type, turn, tool_name, bytes, byte_start, byte_end, body, checksum) VALUES (?, 'tool_result', 1, ?, ?, 0, 0, '', 0)",
    );
    const outputs = Array.from({ length: 400 }, (_, at) => ({
      toolName: at % 50 === 0 ? "artifact_read" : "bash",
      sizeBytes: (at * 7919) % 70_000,
    }));
    for (const [at, { toolName, sizeBytes }] of outputs.entries()) add.run(eventRowId(7, at + 1), toolName, sizeBytes);
    const { presets } = await triedPresets(archive);
    for (const { preset, offloaded, offloadedBytes, tokensSaved } of presets) {
      const one = wouldOffload(
        outputs.map((output) => ({ ...output, chars: output.sizeBytes })),
        PRESETS[preset],
        90_000,
      );
      expect({ preset, offloaded, offloadedBytes, tokensSaved }).toEqual({
        preset,
        offloaded: one.offloaded,
        offloadedBytes: one.offloadedBytes,
        tokensSaved: one.tokensSaved,
      });
    }
  }));

test("the presets are tried on what was imported", () =>
  inArchive(async (archive, logs) => {
    await compacted(archive, logs);
    const tried = await triedPresets(archive);
    expect(tried).toMatchObject({ outputs: 1, sessions: 1, isCapped: false, bytes: 10_800 });
    const offloaded = Object.fromEntries(tried.presets.map((one) => [one.preset, one.offloaded]));
    expect(offloaded).toMatchObject({ plimsoll: 1, agentium: 0, openclaw: 1, off: 0 });
  }));
