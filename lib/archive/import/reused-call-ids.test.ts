// Some models number the calls of each answer anew: one id has thousands of calls in a session.
import { expect, test } from "vitest";
import { select } from "#db/statement.ts";
import { inArchive, put } from "../testing-archive.ts";
import { importPaths } from "./import-paths.ts";
import { SAME_ID } from "./interaction-rows.ts";

/** More than are held before they are written; the first is never answered. */
const TURNS = 1200;

type Message = { readonly role: string; readonly content: unknown };

/** A line of each format: its own names for calls, and those that the file gives. */
const FORMATS: Readonly<Record<string, (message: Message, i: number) => object>> = {
  messages: (message) => message,
  "claude-code": (message, i) => ({
    ...{ type: message.role, sessionId: "reused", isSidechain: false, cwd: "/gulls", version: "2.1.0" },
    ...{ uuid: `u${i}`, parentUuid: i === 0 ? null : `u${i - 1}`, timestamp: new Date(1.75e12 + i * 1000) },
    ...(message.role === "assistant" && { requestId: `r${i}` }),
    message: { ...message, ...(message.role === "assistant" && { id: `m${i}`, model: "claude-sonnet-4-5" }) },
  }),
};

test.each(Object.keys(FORMATS))("each result belongs to the newest call of its id: %s", (format) =>
  inArchive(async (archive, logs) => {
    expect(TURNS).toBeGreaterThan(SAME_ID);
    const said = Array.from({ length: TURNS }, (_, i): Message[] => [
      { role: "user", content: `Look ${i}` },
      { role: "assistant", content: [{ type: "tool_use", id: "call_0", name: "Read", input: { path: `/${i}` } }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "call_0", content: `${i}` }] },
    ])
      .flat()
      .toSpliced(2, 1);
    const lines = said.map((message, i) => `${JSON.stringify(FORMATS[format]!(message, i))}\n`);
    put(logs, "reused.jsonl", lines.join(""));
    await importPaths(archive, [logs]);
    expect(select(archive.sqlite, "sessions", ["format"], "").all()).toEqual([{ format }]);
    const rows = select(archive.sqlite, "tool_interactions", ["call_seq", "result_seq"], "ORDER BY call_seq").all();
    expect(rows).toHaveLength(TURNS);
    expect(rows[0]!.result_seq).toBeNull();
    expect(rows.slice(1).filter((row) => row.result_seq !== row.call_seq! + 1)).toEqual([]);
  }),
);
