// Conversations of OpenHands that are a file for each event, of both versions, in folders and in archives. Synthetic.
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { buffer } from "node:stream/consumers";
import { ZipFile } from "yazl";
import { expect, test } from "vitest";
import type { Archive } from "../base/archive-type.ts";
import { restoreSession } from "../keep/restore-session.ts";
import { removeSession } from "../sources/remove-session.ts";
import { summaryOfSession } from "../sessions/show-session.ts";
import { inFolder, withArchive } from "../testing-archive.ts";
import { importPaths } from "./import-paths.ts";

function write(path: string, value: unknown): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, typeof value === "string" || value instanceof Buffer ? value : JSON.stringify(value));
}

const at = (second: number) => `2026-02-01T10:00:${String(second).padStart(2, "0")}`;
const meta = (call: string) => ({
  ...{ function_name: "execute_bash", tool_call_id: call },
  model_response: { id: "r1", model: "coral-1", usage: { prompt_tokens: 1000, completion_tokens: 50 } },
});
/** Two calls of one answer, and what they gave; then eleven more prompts, so that names alone have another order. */
const first: readonly object[] = [
  { id: 0, source: "user", action: "message", message: "Count.", args: { content: "Count." } },
  { id: 1, source: "agent", action: "run", message: "", args: { command: "ls" }, tool_call_metadata: meta("t1") },
  { id: 2, source: "agent", cause: 1, observation: "run", message: "", content: "7", extras: {} },
  { id: 3, source: "agent", action: "run", message: "", args: { command: "wc" }, tool_call_metadata: meta("t2") },
  { id: 4, source: "agent", cause: 3, observation: "run", message: "", content: "8", extras: {} },
  ...Array.from({ length: 7 }, (_, i) => ({
    ...{ id: 5 + i, source: "user", action: "message", message: `More ${i}`, args: { content: `More ${i}` } },
  })),
].map((event, i) => ({ timestamp: at(i), ...event }));

const writeFirst = (folder: string, events = first): void =>
  events.forEach((event, i) => write(join(folder, "events", `${i}.json`), event));

function sessionsIn(archive: Archive) {
  const pks = archive.sqlite.prepare("SELECT pk FROM sessions ORDER BY pk").pluck().all() as number[];
  return pks.map((pk) => {
    const { modelCalls, usage, toolCalls, callsWithoutResult, turns, cwd, model } = summaryOfSession(archive, pk);
    return { calls: modelCalls.own, output: usage.output, toolCalls, callsWithoutResult, turns, cwd, model };
  });
}
const whole = { calls: 1, output: 50, toolCalls: 2, callsWithoutResult: 0, turns: 8, model: "coral-1" };

test("events of one folder are one session, that grows; pages that repeat them are left out", () =>
  inFolder((dir) =>
    withArchive(join(dir, "archive"), async (archive) => {
      const folder = join(dir, "sessions", "abc");
      writeFirst(folder, first.slice(0, 4));
      await importPaths(archive, [dir + "/sessions"]);
      expect(sessionsIn(archive)).toMatchObject([{ ...whole, turns: 1, callsWithoutResult: 1 }]);
      writeFirst(folder);
      write(join(folder, "event_cache", "0-25.json"), first);
      // What was cut off is left out, and so is a link.
      write(join(folder, "events", "12.json"), '{"id": 12, "source"');
      symlinkSync("/etc/hostname", join(folder, "events", "13.json"));
      const { files } = await importPaths(archive, [dir + "/sessions"]);
      expect(files.filter(({ status }) => status !== "skipped").map(({ path }) => path)).toEqual([
        join(folder, "events", "0.json"),
      ]);
      expect(sessionsIn(archive)).toMatchObject([whole]);
      const again = await importPaths(archive, [dir + "/sessions", join(folder, "events", "3.json")]);
      expect(again.files.filter(({ status }) => status !== "skipped").map(({ status }) => status)).toEqual([
        "unchanged",
      ]);
    }),
  ));

test("an event that is named stands for its conversation; one that was removed stays away until then", () =>
  inFolder((dir) =>
    withArchive(join(dir, "archive"), async (archive) => {
      const folder = join(dir, "sessions", "abc");
      const named = join(folder, "events", "3.json");
      writeFirst(folder);
      await importPaths(archive, [named]);
      expect(sessionsIn(archive)).toMatchObject([whole]);
      const id = archive.sqlite.prepare("SELECT id FROM sessions").pluck().get() as string;
      await expect(restoreSession(archive, { session: id, roots: [] })).rejects.toThrow(/one file/);
      await removeSession(archive, id);
      await importPaths(archive, [join(dir, "sessions")]);
      await importPaths(archive, [named], { isWatched: true });
      expect(sessionsIn(archive)).toEqual([]);
      await importPaths(archive, [named]);
      expect(sessionsIn(archive)).toMatchObject([whole]);
    }),
  ));

const sdk = (i: number, kind: string, more: object) => ({
  ...{ id: `0000000${i.toString(16)}-aaaa`, timestamp: at(i), source: "agent", kind },
  ...more,
});
const action = (answer: string, call: string) => ({
  ...{ llm_response_id: answer, tool_call_id: call, tool_name: "terminal", thought: [], action: { command: "ls" } },
});
const second: readonly ReturnType<typeof sdk>[] = [
  sdk(0, "SystemPromptEvent", { system_prompt: { text: "Dive." } }),
  sdk(1, "MessageEvent", {
    source: "user",
    llm_message: { role: "user", content: [{ type: "text", text: "Count." }] },
  }),
  sdk(2, "ActionEvent", action("r1", "t1")),
  sdk(3, "ActionEvent", action("r1", "t2")),
  sdk(4, "Condensation", { llm_response_id: "c1", forgotten_event_ids: [], summary: "It looked." }),
  sdk(5, "ActionEvent", action("r2", "t3")),
];
const used = (id: string, prompt: number, output: number) => ({
  ...{ response_id: id, prompt_tokens: prompt, completion_tokens: output, cache_read_tokens: 0 },
});
const sums = (model: string, usages: readonly ReturnType<typeof used>[]) => ({
  ...{ model_name: model, accumulated_cost: 0.25, token_usages: usages },
  accumulated_token_usage: {
    prompt_tokens: usages.reduce((sum, { prompt_tokens: one }) => sum + one, 0),
    completion_tokens: usages.reduce((sum, { completion_tokens: one }) => sum + one, 0),
  },
});
const state = {
  ...{ id: "x", agent: { llm: { model: "coral-1", api_key: "hidden" } }, workspace: { working_dir: "/reef" } },
  stats: {
    usage_to_metrics: {
      agent: sums("coral-1", [used("r1", 1000, 50), used("r2", 1500, 70)]),
      condenser: sums("small", [used("c1", 300, 9)]),
    },
  },
};

function writeSecond(add: (name: string, value: object) => void): void {
  for (const [i, event] of second.entries()) add(`events/event-0000${i}-${event.id}.json`, event);
  add("base_state.json", state);
}
const charged = { calls: 3, output: 129, toolCalls: 3, turns: 1, cwd: "/reef", model: "coral-1" };

test("version 1 has the tokens of each answer from the state beside its events", () =>
  inFolder((dir) =>
    withArchive(join(dir, "archive"), async (archive) => {
      const folder = join(dir, "conversations", "f00d");
      writeSecond((name, value) => write(join(folder, name), value));
      const { unmatched } = await importPaths(archive, [join(dir, "conversations")]);
      expect(unmatched).toEqual([]);
      expect(sessionsIn(archive)).toMatchObject([charged]);
      const calls = archive.sqlite.prepare("SELECT model, output FROM model_calls ORDER BY ts").all();
      expect(calls).toEqual([
        { model: "coral-1", output: 50 },
        { model: "small", output: 9 },
        { model: "coral-1", output: 70 },
      ]);
      const { cost } = summaryOfSession(archive, 1);
      expect(cost?.reported?.usd).toBe(0.5);
      const kept = archive.sqlite.prepare("SELECT count(*) FROM events WHERE instr(body, 'hidden') > 0").pluck().get();
      expect(kept).toBe(0);
    }),
  ));

test("so is a folder in an archive, and files of that name that are others' are read as they are", () =>
  inFolder((dir) =>
    withArchive(join(dir, "archive"), async (archive) => {
      // At the root of a zip, what is beside the folder of events is beside no folder.
      const zip = new ZipFile();
      writeSecond((name, value) => zip.addBuffer(Buffer.from(JSON.stringify(value)), name));
      zip.end();
      write(join(dir, "f00d.zip"), await buffer(zip.outputStream as NodeJS.ReadableStream));
      await importPaths(archive, [join(dir, "f00d.zip")]);
      expect(sessionsIn(archive)).toMatchObject([charged]);
      const chat = (text: string) => ({
        messages: [
          { role: "user", content: text },
          { role: "assistant", content: "Yes." },
        ],
      });
      write(join(dir, "others", "events", "1.json"), chat("One?"));
      write(join(dir, "others", "events", "2.json"), chat("Two?"));
      await importPaths(archive, [join(dir, "others")]);
      expect(sessionsIn(archive)).toHaveLength(3);
    }),
  ));
