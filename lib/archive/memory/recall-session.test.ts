import { join } from "node:path";
import { expect, test } from "vitest";
import { asks, answer, jsonl, line, prompt, result, text, used } from "#lib/formats/claude-code/testing-claude.ts";
import { isAppError } from "#lib/kernel/errors.ts";
import { recallAnswer } from "#lib/wire/recall-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { closeArchive, openArchive } from "../archive.ts";
import { createSession } from "../artifacts/create-session.ts";
import { deleteArtifact } from "../artifacts/delete-artifact.ts";
import { storeArtifact } from "../artifacts/store-artifact.ts";
import { importPaths } from "../import/import-paths.ts";
import { ingest } from "./ingest-records.ts";
import { recallsOf, addRecallWrite } from "./recall-rows.ts";
import { recall, takeRecalls } from "./recall-session.ts";
import { inArchive, inFolder, NOW, put, testHost, withArchive } from "../testing-archive.ts";
import { write } from "../base/write.ts";
import { addReadsWrite } from "../artifacts/reading-rows.ts";

const code = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => "resolved",
    (error: unknown) => (isAppError(error) ? error.code : String(error)),
  );

const file = (words: string): string => `${words}\n`.repeat(Math.ceil(5000 / words.length));

// Three files are read; the context is compacted; one is read again.
const LINES = [
  prompt("p", 0, "Fix the retries of payments."),
  ...readOf(1, "src/payments/retry.ts", file("export function backoff(attempt: number)")),
  ...readOf(2, "src/auth/token-store.ts", file("export class TokenStore")),
  ...readOf(3, "docs/setup.md", file("Install it with one command")),
  line("system", "cut", 20, {
    subtype: "compact_boundary",
    content: "Conversation compacted",
    compactMetadata: { trigger: "auto" },
  }),
  line("user", "summary", 21, {
    isCompactSummary: true,
    message: { role: "user", content: "Payments are being fixed." },
  }),
  ...readOf(5, "src/payments/retry.ts", file("export function backoff(attempt: number, jitter: number)")),
  answer("said", 40, "said", text("Now the tokens."), { usage: used(10, 0, 10, 1) }),
] as const;

function readOf(n: number, path: string, output: string): ReturnType<typeof result>[] {
  return [
    answer(`read ${n}`, n, `m${n}`, asks(`t${n}`, "Read", { file_path: `/home/sailor/harbour/${path}` }), {
      usage: used(10, 0, 10, 1),
    }),
    result(`result ${n}`, n, `t${n}`, output),
  ];
}

const imported = (run: (archive: Archive, id: string, logs: string) => Promise<void>): Promise<void> =>
  inArchive(async (archive, logs) => {
    const { files } = await importPaths(archive, [put(logs, "session.jsonl", jsonl(...LINES))]);
    await run(archive, files[0]!.sessions[0]!, logs);
  });

const pkOf = (archive: Archive, id: string): number =>
  archive.sqlite.prepare("SELECT pk FROM sessions WHERE id = ?").pluck().get(id) as number;
const namesOf = ({ items }: { items: readonly { summary: string }[] }): string[] =>
  items.map(({ summary }) => summary.split(":")[0]!);

test("what a question names is recalled first, the newest copy of a file before its older one", () =>
  imported(async (archive, id) => {
    const answer = await recall(archive, id, { query: "where are token stores kept?" });
    expect(recallAnswer.parse(answer)).toEqual(answer);
    expect(namesOf(answer)).toEqual(["token-store.ts", "retry.ts", "setup.md", "retry.ts"]);
    expect(answer.omitted).toBe(0);
    expect(answer.chars).toBe(answer.text.length);
    const { digest } = archive.sqlite
      .prepare("SELECT digest FROM artifacts WHERE pointer = ?")
      .get(answer.items[0]!.pointer) as { digest: string };
    expect(answer.items[0]!.artifactId).toBe(`art_${digest.slice(0, 16)}`);
    expect(answer.text).toContain(`(artifact: ${answer.items[0]!.artifactId}, tool: Read, 5 KB)`);
    const copies = answer.items.filter(({ summary }) => summary.startsWith("retry.ts"));
    expect(copies.map(({ summary }) => summary.includes("jitter"))).toEqual([true, false]);
    expect((await recall(archive, id, { query: "BACKOFF", k: 1 })).items[0]!.summary).toContain("jitter");
  }));

test("no folder of the person stands in what is recalled by its file", () =>
  imported(async (archive, id) => {
    expect((await recall(archive, id, { query: "payments" })).text).not.toContain("/home/sailor");
  }));

test("at an event only what came before is recalled", () =>
  imported(async (archive, id) => {
    // The second call is event 4, the second result 5.
    expect(namesOf(await recall(archive, id, { query: "token", at: 4 }))).toEqual(["retry.ts"]);
    expect(namesOf(await recall(archive, id, { query: "token", at: 5 }))).toEqual(["token-store.ts", "retry.ts"]);
    expect(await code(recall(archive, id, { query: "token", at: 999 }))).toBe("not_found");
    expect(await code(recall(archive, "nothing like it", { query: "token" }))).toBe("not_found");
  }));

test("what the context shows already is left out when it is asked so", () =>
  imported(async (archive, id) => {
    // Before the compaction all of it is there, after it what was read since.
    expect((await recall(archive, id, { query: "backoff", at: 7, hideShown: true })).items).toEqual([]);
    const later = await recall(archive, id, { query: "backoff", hideShown: true });
    expect(namesOf(later)).toEqual(["retry.ts", "setup.md", "token-store.ts"]);
    expect(later.items[0]!.summary).not.toContain("jitter");
  }));

test("a recall keeps to the items and the characters that it was given", () =>
  imported(async (archive, id) => {
    const two = await recall(archive, id, { query: "", k: 2 });
    expect(two.items).toHaveLength(2);
    expect(two.omitted).toBe(2);
    for (const maxChars of [100, 400, 500, 700]) {
      const answer = await recall(archive, id, { query: "retry", maxChars });
      expect(answer.chars).toBeLessThanOrEqual(maxChars);
      expect(answer.items.length + answer.omitted).toBe(4);
      for (const { artifactId } of answer.items) expect(answer.text).toContain(artifactId);
    }
  }));

test("every recall is kept with its question, its place and what it gave", () =>
  imported(async (archive, id) => {
    const first = await recall(archive, id, { query: "tokens", at: 5, k: 1 });
    await recall(archive, id, { query: "nothing", maxChars: 100 });
    const kept = recallsOf(archive, pkOf(archive, id));
    expect(kept).toEqual([
      expect.objectContaining({ query: "nothing", at: null, items: [], chars: 0, omitted: 4 }),
      {
        turn: 1,
        at: 5,
        query: "tokens",
        items: first.items.map(({ artifactId, pointer, summary }) => ({ artifactId, pointer, summary })),
        chars: first.chars,
        omitted: 1,
        createdAt: new Date(NOW).toISOString(),
      },
    ]);
  }));

test("a reader's recalls wait for somebody who may write them", () =>
  inArchive(async (archive, logs) => {
    const { files } = await importPaths(archive, [put(logs, "session.jsonl", jsonl(...LINES))]);
    const id = files[0]!.sessions[0]!;
    const reader = await openArchive({ dir: archive.dir, host: testHost(), mode: "read" });
    try {
      await recall(reader, id, { query: "tokens" });
      const recalls = takeRecalls(reader);
      expect(recalls).toHaveLength(1);
      expect(takeRecalls(reader)).toEqual([]);
      await write(archive, addRecallWrite, { recalls });
      expect(recallsOf(archive, pkOf(archive, id))).toHaveLength(1);
    } finally {
      await closeArchive(reader);
    }
  }));

test("the index grows with the session, and is made anew when the file behind it changed", () =>
  imported(async (archive, id, logs) => {
    await recall(archive, id, { query: "x" });
    const more = readOf(50, "src/ledger/zebra.ts", file("export const zebra = 1;"));
    put(logs, "session.jsonl", jsonl(...LINES, ...more));
    await importPaths(archive, [logs]);
    expect(namesOf(await recall(archive, id, { query: "zebra" }))[0]).toBe("zebra.ts");
    // Another beginning: everything in the log is written again.
    put(logs, "session.jsonl", jsonl(prompt("other", 0, "Start over."), ...more));
    await importPaths(archive, [logs]);
    const answer = await recall(archive, id, { query: "backoff" });
    expect(namesOf(answer)).toEqual(["zebra.ts"]);
    expect(answer.omitted).toBe(0);
  }));

test("questions that come together are all answered, in an archive opened anew too", () =>
  inFolder(async (folder) => {
    const path = put(folder, "session.jsonl", jsonl(...LINES));
    const dir = join(folder, "archive");
    const ask = async (archive: Archive) => {
      const { files } = await importPaths(archive, [path]);
      return recall(archive, files[0]!.sessions[0]!, { query: "tokens" });
    };
    const first = await withArchive(dir, async (archive) => {
      const [one, two] = await Promise.all([ask(archive), ask(archive)]);
      expect(one).toEqual(two);
      return one;
    });
    await withArchive(dir, async (archive) => expect(await ask(archive)).toEqual(first));
  }));

const storing = (run: (archive: Archive, id: string) => Promise<void>): Promise<void> =>
  inArchive(async (archive) => run(archive, (await createSession(archive, { id: "held" })).id));

async function* bytes(words: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(words);
}

test("artifacts that an agent stored are recalled by name and description, their secrets masked", () =>
  storing(async (archive, id) => {
    const secret = `ghp_${"a1B2c3D4e5".repeat(4).slice(0, 36)}`;
    await storeArtifact(
      archive,
      { session: id, name: "bill", description: "What the clinic charged" },
      bytes("12 EUR"),
    );
    await storeArtifact(archive, { session: id, name: "env", toolName: "bash" }, bytes(`TOKEN=${secret} in use`));
    const clinic = await recall(archive, id, { query: "clinics" });
    expect(clinic.items[0]!.summary).toBe("bill: What the clinic charged");
    const env = await recall(archive, id, { query: "the environment's env" });
    expect(env.items[0]!.summary).toMatch(/^env: TOKEN=/);
    expect(env.text).not.toContain(secret);
  }));

test("what was deleted is not recalled, and the same bytes are told once", () =>
  storing(async (archive, id) => {
    const [first] = [await storeArtifact(archive, { session: id, name: "a" }, bytes("one"))];
    await storeArtifact(archive, { session: id, name: "b" }, bytes("two"));
    await storeArtifact(archive, { session: id, name: "c" }, bytes("two"));
    expect(namesOf(await recall(archive, id, { query: "" }))).toEqual(["c", "a"]);
    await deleteArtifact(archive, first!.pointer);
    const answer = await recall(archive, id, { query: "a" });
    expect(namesOf(answer)).toEqual(["c"]);
    expect(answer.omitted).toBe(0);
  }));

test("who asks for more items than are usual gets the room for them, and eight stand where nobody asks", () =>
  storing(async (archive, id) => {
    for (let i = 0; i < 12; i++)
      await storeArtifact(
        archive,
        { session: id, name: `log-${i}`, toolName: "bash" },
        bytes(`${i} ${"`<>` ".repeat(60)}`),
      );
    expect((await recall(archive, id, { query: "logs" })).items).toHaveLength(8);
    const twelve = await recall(archive, id, { query: "logs", k: 12 });
    expect(twelve.items).toHaveLength(12);
    expect(twelve.omitted).toBe(0);
    expect(twelve.chars).toBeLessThanOrEqual(12 * 280);
  }));

test("an artifact that was read back often comes before one that never was", () =>
  storing(async (archive, id) => {
    const read = await storeArtifact(archive, { session: id, name: "old" }, bytes("one"));
    await storeArtifact(archive, { session: id, name: "new" }, bytes("two"));
    const note = { who: "agent", tool: "artifact_read", request: "{}", bytes: 3, isError: false, at: NOW };
    const reads = Array.from({ length: 3 }, () => ({ ...note, pointer: read.pointer }));
    expect(namesOf(await recall(archive, id, { query: "" }))).toEqual(["new", "old"]);
    await write(archive, addReadsWrite, { reads });
    await ingest(archive, id, [{ record: "event", uuid: "u", body: { type: "user", text: "Go on." } }]);
    expect(namesOf(await recall(archive, id, { query: "" }))).toEqual(["old", "new"]);
  }));
