// A store of Cursor's terminal agent, as its client writes it: synthetic messages under the digest of their bytes, and a root that lists
// them. Each of its parts can be left out or replaced.
import { createHash } from "node:crypto";
import Database from "better-sqlite3";

export const STORE_ID = "0a0a0000-0000-4000-8000-00000000c0d2";
/** Stands in the row about a conversation, and is for nobody else. */
export const STORE_KEY = "5ec2e7".repeat(10);

const varint = (value: number): number[] =>
  value < 0x80 ? [value] : [(value % 0x80) | 0x80, ...varint(Math.floor(value / 0x80))];
const field = (number: number, value: number | Uint8Array): Uint8Array =>
  typeof value === "number"
    ? Buffer.from([...varint(number * 8), ...varint(value)])
    : Buffer.from([...varint(number * 8 + 2), ...varint(value.length), ...value]);
const message = (...fields: readonly Uint8Array[]): Uint8Array => Buffer.concat(fields);
const text = (value: string): Uint8Array => Buffer.from(value);

export const blobId = (data: Uint8Array): string => createHash("sha256").update(data).digest("hex");
const idBytes = (id: string): Uint8Array => Buffer.from(id, "hex");

export type Root = {
  readonly messages: readonly string[];
  readonly archives?: readonly string[];
  readonly folder?: string;
};

export const rootBytes = ({ messages, archives = [], folder = "file:///home/ada/tide%20pools" }: Root): Uint8Array =>
  message(
    ...messages.map((id) => field(1, idBytes(id))),
    field(5, message(field(1, 12_315), field(2, 200_000))),
    field(9, text(folder)),
    field(10, 1),
    ...archives.map((id) => field(13, idBytes(id))),
    field(21, message(field(1, text("/home/ada/tide pools")), field(2, text("springs")))),
    field(22, text("cli")),
  );

export const archiveBytes = (messages: readonly string[], summary: string): Uint8Array =>
  message(...messages.map((id) => field(1, idBytes(id))), field(2, text(summary)), field(3, 0));

export class CursorStore {
  readonly sqlite: Database.Database;

  constructor(path: string) {
    this.sqlite = new Database(path);
    this.sqlite.pragma("journal_mode = WAL");
    this.sqlite.exec(
      "CREATE TABLE IF NOT EXISTS blobs (id TEXT PRIMARY KEY, data BLOB); CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT)",
    );
  }

  put(data: Uint8Array | object): string {
    const bytes = data instanceof Uint8Array ? data : text(JSON.stringify(data));
    const id = blobId(bytes);
    this.sqlite.prepare("INSERT OR IGNORE INTO blobs VALUES (?, ?)").run(id, bytes);
    return id;
  }

  /** The row about the conversation: JSON as hex digits. */
  meta(more: object): void {
    const told = { agentId: STORE_ID, name: "Tide pools", mode: "default", createdAt: 1_772_442_000_000 };
    const meta = { ...told, lastUsedModel: "composer-2", blobEncryptionKey: STORE_KEY, ...more };
    this.sqlite
      .prepare("INSERT OR REPLACE INTO meta VALUES ('0', ?)")
      .run(Buffer.from(JSON.stringify(meta)).toString("hex"));
  }

  /** Writes the messages with a root that lists them, and says that it is the latest. */
  send(messages: readonly object[], more: Omit<Root, "messages"> = {}, meta: object = {}): string[] {
    const ids = messages.map((one) => this.put(one));
    this.meta({ latestRootBlobId: this.put(rootBytes({ messages: ids, ...more })), ...meta });
    return ids;
  }

  close(): void {
    this.sqlite.close();
  }
}

export const INSTRUCTIONS = { role: "system", content: "You are an agent in a terminal." };
export const WORKSPACE = {
  role: "user",
  content: "<user_info>\nOS Version: linux\nWorkspace Path: /home/ada/tide pools\n</user_info>",
};

export const promptOf = (prompt: string): object => ({
  role: "user",
  content: [
    {
      type: "text",
      text: `<timestamp>Monday, Mar 2, 2026, 9:00 AM (UTC)</timestamp>\n<user_query>\n${prompt}\n</user_query>`,
    },
  ],
  providerOptions: { cursor: { requestId: `request of ${prompt}` } },
});

export const answered = (id: string, words: string): object => ({
  role: "assistant",
  id,
  content: [{ type: "text", text: words }],
});

const call = (toolCallId: string, toolName: string, args: object): object => ({
  type: "tool-call",
  toolCallId,
  toolName,
  args,
});
const result = (toolCallId: string, toolName: string, told: string, isError: boolean): object => ({
  role: "tool",
  id: toolCallId,
  content: [
    { type: "tool-result", toolCallId, toolName, result: told, experimental_content: [{ type: "text", text: told }] },
  ],
  providerOptions: { cursor: { highLevelToolCallResult: { output: { success: {} }, isError } } },
});

/** A conversation with all kinds of parts that were seen. */
export const CONVERSATION: readonly object[] = [
  INSTRUCTIONS,
  WORKSPACE,
  promptOf("Which pools are deep?"),
  {
    role: "assistant",
    id: "1",
    content: [
      {
        ...{ type: "reasoning", text: "The survey lists them.", signature: "c2VhbA==" },
        providerOptions: { cursor: { modelName: "composer-2-fast" } },
      },
      { type: "text", text: "I read the survey." },
      call("call-1\nfc_1", "Read", { path: "survey.txt" }),
      call("call-2", "Shell", { command: "wc -l missing.txt" }),
    ],
  },
  result("call-1\nfc_1", "Read", "north 3 m\nsouth 1 m", false),
  result("call-2", "Shell", "Exit code: 1\n\nNo such file", true),
  {
    role: "assistant",
    id: "2",
    content: [
      { type: "redacted-reasoning", data: "b3BhcXVl" },
      { type: "text", text: "The north pool is deep." },
    ],
  },
];
