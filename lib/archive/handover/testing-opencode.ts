// A database of OpenCode with a session of two turns, as the client writes its rows: for tests of what is carried on. Rows are synthetic.
import Database from "better-sqlite3";
import type { Archive } from "../base/archive-type.ts";
import { importPaths } from "../import/import-paths.ts";
import { inArchive, put } from "../testing-archive.ts";
import { BIG } from "./testing-agents.ts";

const MODEL = { providerID: "scripted", modelID: "gpt-5.5" };
const START = 1_790_000_000_000;

type Part = Readonly<Record<string, unknown>>;
export type Document = {
  readonly info: { readonly id: string; readonly metadata: unknown; readonly title: string };
  readonly messages: readonly {
    readonly info: Part & { readonly id: string; readonly time: { readonly created: number } };
    readonly parts: readonly (Part & { readonly id: string; readonly messageID: string })[];
  }[];
};

const TABLES = `
  CREATE TABLE session (id TEXT PRIMARY KEY, parent_id TEXT, directory TEXT, title TEXT, version TEXT, metadata TEXT, time_created INTEGER, time_updated INTEGER);
  CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT, time_created INTEGER, time_updated INTEGER, data TEXT);
  CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT, session_id TEXT, time_created INTEGER, time_updated INTEGER, data TEXT);`;

export function insert(sqlite: Database.Database, { info, messages }: Document): void {
  sqlite
    .prepare("INSERT OR IGNORE INTO session VALUES (?, NULL, '/home/ada/reef', ?, '1.18.33', ?, ?, ?)")
    .run(info.id, info.title, JSON.stringify(info.metadata ?? null), START, START + 1);
  for (const { info: message, parts } of messages) {
    const { id, sessionID: _, ...data } = message;
    sqlite
      .prepare("INSERT OR IGNORE INTO message VALUES (?, ?, ?, ?, ?)")
      .run(id, info.id, message.time.created, message.time.created, JSON.stringify(data));
    for (const { id: part, sessionID: __, messageID, ...more } of parts)
      sqlite
        .prepare("INSERT OR IGNORE INTO part VALUES (?, ?, ?, 1, 1, ?)")
        .run(part, messageID, info.id, JSON.stringify(more));
  }
}

let made = 0;
const idOf = (kind: string): string => `${kind}_${(0x100 + made++).toString(16).padStart(12, "0")}AbCdEfGhIjKlMn`;

function message(info: Part, ...parts: Part[]): Document["messages"][number] {
  const id = idOf("msg");
  const time = { created: START + made * 10, completed: START + made * 10 + 5 };
  return { info: { id, time, ...info }, parts: parts.map((part) => ({ id: idOf("prt"), messageID: id, ...part })) };
}

export const user = (...parts: Part[]) => message({ role: "user", agent: "build", model: MODEL }, ...parts);

export function answer(input: number, ...parts: Part[]) {
  const tokens = { input, output: 20, reasoning: 0, cache: { read: 0, write: 0 } };
  const role = { role: "assistant", parentID: "msg_0", mode: "build", agent: "build", path: { cwd: "/r", root: "/" } };
  const finish = { type: "step-finish", reason: "stop", cost: 0.01, tokens };
  return message({ ...role, ...MODEL, cost: 0.01, tokens, finish: "stop" }, { type: "step-start" }, ...parts, finish);
}

export const text = (words: string): Part => ({ type: "text", text: words });
const bash = (callID: string, command: string, output: string): Part => ({
  ...{ type: "tool", tool: "bash", callID },
  state: {
    ...{ status: "completed", input: { command }, output, title: command, metadata: { exit: 0, output } },
    time: { start: START, end: START + 1 },
  },
});
export const running: Part = {
  ...{ type: "tool", tool: "bash", callID: "c9" },
  state: { status: "running", input: { command: "sleep" }, time: { start: START } },
};
const image: Part = { type: "file", mime: "image/png", filename: "map.png", url: "data:image/png;base64,iVBORw0KGgo=" };

/** Two turns, the second with a large output and an image in its prompt; `more` at their end. */
export async function inOpenCode(
  run: (archive: Archive, db: { readonly path: string; readonly sqlite: Database.Database }) => Promise<void>,
  more: () => Document["messages"] = () => [],
): Promise<void> {
  made = 0;
  const messages = [
    user(text("Read the tide tables")),
    answer(4000, bash("c1", "cat piers.json", "pier 2: leak at the ladder")),
    answer(4100, text("Pier 2 leaks.")),
    user(text("And the whole table?"), image),
    answer(4200, bash("c2", "cat tides", BIG)),
    answer(30_000, text("It has 900 rows.")),
  ];
  await inArchive(async (archive, dir) => {
    const path = put(dir, "home/.local/share/opencode/opencode.db", "");
    const sqlite = new Database(path);
    sqlite.exec(TABLES);
    insert(sqlite, { info: { id: "ses_1", title: "Tides", metadata: null }, messages: [...messages, ...more()] });
    await importPaths(archive, [path], { final: true });
    await run(archive, { path, sqlite });
    sqlite.close();
  });
}
