// Parts of a Goose session file, whose first line is gone: what a part is known by where its first messages are words alone. Synthetic.
import { expect, test } from "vitest";
import { goose } from "./goose.ts";
import { FORMATS } from "./index.ts";

type Content = readonly object[];

const says = (text: string): Content => [{ type: "text", text }];
const CALL: Content = [{ type: "toolRequest", id: "t1", toolCall: { status: "success", value: { name: "shell" } } }];

/** Two messages a turn, all of them words, and what comes behind. */
function part(turns: number, more: readonly Content[] = [], extra: object = {}): string {
  const words = Array.from({ length: turns * 2 }, (_, i) => says(`Word ${i}`));
  return [...words, ...more]
    .map((content, i) => ({ role: i % 2 === 0 ? "user" : "assistant", created: 1_750_000_000 + i, content, ...extra }))
    .map((message) => `${JSON.stringify(message)}\n`)
    .join("");
}

const formatsOf = (text: string, path = "part.jsonl"): string[] =>
  FORMATS.filter((one) => one.detect({ path, head: Buffer.from(text), sidecars: new Map() })).map(({ id }) => id);

test("a part is known by a call that comes behind twenty messages of words", () => {
  expect(formatsOf(part(15, [says("Count."), CALL]))).toEqual([goose.id]);
});

test("a part without any call is known by who may see its messages", () => {
  const metadata = { userVisible: true, agentVisible: true };
  expect(formatsOf(part(3, [], { metadata }))).toEqual([goose.id]);
  expect(formatsOf(part(3, [], { metadata: { userVisible: true } }))).toEqual(["messages"]);
});

test("a part without any call is known by Goose's folder", () => {
  expect(formatsOf(part(3), "/home/ada/.local/share/goose/sessions/20250615_103000.jsonl")).toEqual([goose.id]);
  expect(formatsOf(part(3), "/home/ada/chats/sessions/20250615_103000.jsonl")).toEqual(["messages"]);
  expect(formatsOf(part(3))).toEqual(["messages"]);
});

test("a block that a message only speaks of is no sign", () => {
  expect(formatsOf(part(3, [says(JSON.stringify(CALL))]))).toEqual(["messages"]);
});

test("a message with two texts begins one turn", () => {
  const message = { role: "user", created: 1_750_000_000, content: [...says("Count the terns"), ...says("and gulls")] };
  const bytes = Buffer.from(JSON.stringify(message));
  const file = { path: "/goose/sessions/1.jsonl", head: bytes, sidecars: new Map<string, string>() };
  const drafts = goose.parse({ bytes, byteStart: 0, byteEnd: bytes.length, line: 1 }, goose.start(file));
  expect(drafts.flatMap((draft) => (draft.kind === "event" ? [draft.startsTurn] : []))).toEqual([true, false]);
});
