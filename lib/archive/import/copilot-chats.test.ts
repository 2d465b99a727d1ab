// Chats of VS Code as they grow, are made short, and stand in two files. All are synthetic.
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { scalar } from "#db/statement.ts";
import { copilotChat } from "#lib/formats/copilot-chat.ts";
import type { Archive } from "../base/archive-type.ts";
import { findSession } from "../base/find-session.ts";
import { recordKey } from "../base/row-keys.ts";
import { listEvents } from "../sessions/list-events.ts";
import { summaryOfSession } from "../sessions/show-session.ts";
import { listSources } from "../sources/list-sources.ts";
import { inArchive, put } from "../testing-archive.ts";
import { importPaths } from "./import-paths.ts";

const AT = Date.UTC(2026, 8, 1, 10);
const request = (n: number, text: string, answer: string): object => ({
  ...{
    requestId: `request_${n}`,
    timestamp: AT + n * 1000,
    message: { text, parts: [] },
    response: [{ value: answer }],
  },
  ...{ modelId: "copilot/gpt-5.2", promptTokens: n * 100, completionTokens: n, modelState: { value: 1 } },
});
const chat = (...requests: object[]): object => ({
  ...{ version: 3, sessionId: "chat-1", creationDate: AT, responderUsername: "GitHub Copilot", requests },
});
const line = (entry: object): string => `${JSON.stringify(entry)}\n`;
const push = (request: object, i?: number): string =>
  line({ kind: 2, k: ["requests"], v: [request], ...(i !== undefined && { i }) });
const NAME = "copilot-chat:chat-1";

async function shown(archive: Archive): Promise<{ texts: string[]; calls: number; input: number }> {
  const { id, usage, modelCalls } = summaryOfSession(archive, findSession(archive, NAME));
  const { events } = await listEvents(archive, id, { from: 1, limit: 100 });
  const texts = events.flatMap(({ body }) =>
    body.type === "user" || body.type === "assistant" || body.type === "rewind" ? [body.text || body.type] : [],
  );
  return { texts, calls: modelCalls.own, input: usage.inputUncached };
}
const statuses = async (archive: Archive) =>
  (await listSources(archive, { limit: 10, offset: 0 })).sources.map(({ path, status }) => [path.slice(-5), status]);

test("a log that grows is followed, and written anew it is the same session", () =>
  inArchive(async (archive, logs) => {
    const path = put(logs, "chatSessions/chat-1.jsonl", line({ kind: 0, v: chat() }));
    await importPaths(archive, [path]);
    expect((await listSources(archive, { limit: 10, offset: 0 })).sources).toHaveLength(1);
    appendFileSync(path, push(request(1, "One?", "")));
    await importPaths(archive, [path]);
    appendFileSync(path, line({ kind: 2, k: ["requests", 0, "response"], v: [{ value: "Yes." }], i: 0 }));
    await importPaths(archive, [path]);
    expect(await shown(archive)).toEqual({ texts: ["One?", "Yes."], calls: 1, input: 100 });
    appendFileSync(path, push(request(2, "Two?", "No.")));
    // The person goes back to it, and says something else.
    appendFileSync(path, push(request(3, "Three?", "Maybe."), 1));
    await importPaths(archive, [path]);
    const texts = ["One?", "Yes.", "Two?", "No.", "rewind", "Three?", "Maybe."];
    expect(await shown(archive)).toEqual({ texts, calls: 3, input: 600 });
    // After 1,024 changes all is one line again: it has what the chat has.
    writeFileSync(path, line({ kind: 0, v: chat(request(1, "One?", "Yes."), request(3, "Three?", "Maybe.")) }));
    await importPaths(archive, [path]);
    expect(await shown(archive)).toEqual({ texts: ["One?", "Yes.", "Three?", "Maybe."], calls: 2, input: 400 });
    expect(await statuses(archive)).toEqual([["jsonl", "ok"]]);
  }));

test.each([
  ["document.json", 16],
  ["log.jsonl", 8],
])("each record of %s has a name of its own, by which others find it", (name, count) =>
  inArchive(async (archive, logs) => {
    const bytes = readFileSync(join(import.meta.dirname, "../../formats/fixtures", `copilot-chat-synthetic-${name}`));
    const path = put(logs, `chatSessions/${name}`, bytes.toString());
    const state = copilotChat.start({ path, head: bytes, sidecars: new Map() });
    const drafts = copilotChat.parse({ bytes, byteStart: 0, byteEnd: bytes.length, line: 1 }, state);
    const keys = drafts.flatMap((draft) =>
      draft.kind === "event" && draft.lane === "" ? (draft.recordKey ?? []) : [],
    );
    await importPaths(archive, [path]);
    const held = scalar(archive.sqlite, "integer", "SELECT count(*) FROM events WHERE record_key = ?");
    const names = new Set(keys);
    expect(names.size).toBe(count);
    for (const key of names) expect(held.get(recordKey(key, new Uint8Array())), key).toBeGreaterThan(0);
  }),
);

test("the document that a log came from is an older copy, and is not looked for", () =>
  inArchive(async (archive, logs) => {
    const document = put(logs, "chatSessions/chat-1.json", JSON.stringify(chat(request(1, "One?", "Yes."))));
    await importPaths(archive, [document]);
    const both = chat(request(1, "One?", "Yes."), request(2, "Two?", "No."));
    const log = put(logs, "chatSessions/chat-1.jsonl", line({ kind: 0, v: both }));
    await importPaths(archive, [document, log]);
    expect(await shown(archive)).toMatchObject({ texts: ["One?", "Yes.", "Two?", "No."], calls: 2 });
    expect(await statuses(archive)).toEqual(
      expect.arrayContaining([
        [".json", "older copy"],
        ["jsonl", "ok"],
      ]),
    );
  }));

test("a document that lost requests keeps them as an earlier version", () =>
  inArchive(async (archive, logs) => {
    const path = put(
      logs,
      "chatSessions/chat-1.json",
      JSON.stringify(chat(request(1, "One?", "Yes."), request(2, "Two?", "No."))),
    );
    await importPaths(archive, [path]);
    writeFileSync(path, JSON.stringify(chat(request(1, "One?", "Yes."))));
    await importPaths(archive, [path]);
    expect(await shown(archive)).toMatchObject({ texts: ["One?", "Yes."], calls: 1 });
    expect(summaryOfSession(archive, findSession(archive, `${NAME}~earlier1`)).modelCalls.own).toBe(1);
  }));
