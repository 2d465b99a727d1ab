// Sessions of Crush, as rows of its database. Synthetic.
import { expect, test } from "vitest";
import { bodies, calls, events } from "./codex/testing-codex.ts";
import { crush } from "./crush.ts";

const bytes = (row: object): Uint8Array => new TextEncoder().encode(JSON.stringify(row));

function read(...messages: readonly { role: string; parts: readonly object[] }[]) {
  const head = bytes({ table: "sessions", row: { id: "kelp", title: "Kelp", created_at: 1_770_000_000 } });
  const state = crush.start({ path: "crush.db", head, sidecars: new Map() });
  const rows = messages.map((message, i) => ({
    table: "messages",
    row: { id: `m${i}`, created_at: 1_770_000_001 + i, ...message },
  }));
  return rows
    .map(bytes)
    .flatMap((one, i) => crush.parse({ bytes: one, byteStart: 0, byteEnd: one.length, line: i + 2 }, state));
}

test("what is sent with a prompt is no prompt: a file's text, a command of the shell, words of Crush's own", () => {
  const Data = Buffer.from("30 m").toString("base64");
  const drafts = read(
    {
      role: "user",
      parts: [
        { type: "text", data: { text: "How long?" } },
        { type: "binary", data: { Path: "kelp.txt", MIMEType: "text/plain", Data } },
        { type: "shell_command", data: { command: "ls", output: "kelp.txt", exit_code: 0 } },
      ],
    },
    { role: "user", parts: [{ type: "text", data: { text: "Go on.", hidden: true } }] },
  );
  expect(bodies(drafts)).toMatchObject([
    { type: "user", text: "How long?" },
    { type: "user", text: "kelp.txt\n30 m", injected: "file" },
    { type: "user", text: "$ ls\nkelp.txt\n(exit code 0)", injected: "shell" },
    { type: "user", text: "Go on.", injected: "continuation" },
  ]);
  expect(events(drafts).map(({ startsTurn }) => startsTurn === true)).toEqual([true, false, false, false]);
});

test("a refusal is an error, and thoughts that a provider sealed say so", () => {
  const sealed = { thinking: "", signature: "", responses_data: { item_id: "rs_1", encrypted_content: "c2VhbGVk" } };
  const drafts = read({
    role: "assistant",
    parts: [
      { type: "reasoning", data: sealed },
      { type: "finish", data: { reason: "content_filter", time: 1_770_000_003, message: "Refused" } },
    ],
  });
  expect(bodies(drafts)).toMatchObject([
    { type: "reasoning", encrypted: true, signatureChars: 8 },
    { type: "error", text: "Refused", code: "content_filter" },
  ]);
  expect(calls(drafts)).toHaveLength(1);
});
