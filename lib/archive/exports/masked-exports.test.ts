// What is masked is nowhere in the file that leaves, in whatever format; a masked bundle is imported, and says that it was masked.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { expect, test } from "vitest";
import { answer, asks, jsonl, prompt, result, SESSION } from "#lib/formats/claude-code/testing-claude.ts";
import { EXPORT_FORMATS } from "#lib/wire/export-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { importAll } from "../bundle/import-all.ts";
import { openBundle } from "../bundle/open-bundle.ts";
import { importPaths } from "../import/import-paths.ts";
import { listEvents } from "../sessions/list-events.ts";
import { inFolder, put, withArchive } from "../testing-archive.ts";
import { check } from "../upkeep/check-archive.ts";
import { reviewExport, writeExport, type WriteOptions } from "./write-export.ts";

const TOKEN = `ghp_${"k7".repeat(18)}`;
const PASSWORD = "h4rb0ur-m4ster";
const PRIVATE = /ghp_k7|h4rb0ur|sailor|anna@|harbour\.example/i;

const LINES = [
  // Its title is cut off inside of the token.
  prompt("p1", 0, `${"Moor the ship at the pier, then read the log. ".repeat(4)}Token ${TOKEN}`),
  answer("a1", 1, "m1", asks("t1", "Bash", { command: `curl -u "anna:${PASSWORD}" https://harbour.example/log` })),
  result(
    "r1",
    2,
    "t1",
    `\u001b[31m${TOKEN}\u001b[0m of sailor in /home/sailor/log, anna@harbour.example\n`.repeat(200),
  ),
  // The password again, where nothing tells what it is.
  answer("a2", 3, "m2", asks("t2", "Write", { file_path: "/home/sailor/x", content: `it is ${PASSWORD}` })),
  result(
    "r2",
    4,
    "t2",
    JSON.stringify({ password: PASSWORD, nested: JSON.stringify({ mail: "anna@harbour.example" }) }),
  ),
  answer("a3", 5, "m3", { type: "text", text: "Moored." }),
  prompt("p2", 6, "Thanks, and cast off"),
  answer("a4", 7, "m4", { type: "text", text: "Cast off." }),
];

const inSession = (run: (archive: Archive, id: string, dir: string) => Promise<void>): Promise<void> =>
  inFolder((dir) =>
    withArchive(join(dir, "from"), async (archive) => {
      const log = put(join(dir, "logs"), `${SESSION}.jsonl`, jsonl(...LINES));
      const { files } = await importPaths(archive, [log]);
      await run(archive, files[0]!.sessions[0]!, dir);
    }),
  );

const bytesOf = async (archive: Archive, id: string, options: WriteOptions): Promise<Buffer> =>
  buffer(Readable.from((await writeExport(archive, id, options)).pieces));

/** Everything that a bundle holds, unpacked. */
async function unpacked(path: string): Promise<string> {
  const bundle = (await openBundle(path))!;
  const { manifest } = bundle;
  const parts = [JSON.stringify(manifest)];
  const entries = [
    ...manifest.files.map(({ entry }) => entry),
    ...manifest.sessions.flatMap(({ rows }) => rows ?? []),
    ...manifest.artifacts.map(({ entry }) => entry),
  ];
  for (const entry of entries) parts.push(entry.name, (await buffer(Readable.from(bundle.read(entry)))).toString());
  await bundle.close();
  return parts.join("\n");
}

test("with all masked nothing private is in what leaves, in any format", () =>
  inSession(async (archive, id, dir) => {
    for (const format of EXPORT_FORMATS) {
      const path = join(dir, "export");
      writeFileSync(path, await bytesOf(archive, id, { format, mask: "all", outputs: "whole" }));
      const text = format === "bundle" ? await unpacked(path) : readFileSync(path, "utf8");
      expect([format, text.match(PRIVATE)?.[0]]).toEqual([format, undefined]);
      // Markdown escapes the brackets; which of the secrets a report comes to depends on its verdict.
      expect(text.replaceAll("\\", "")).toMatch(/\[secret [12]\]/);
    }
    expect((await reviewExport(archive, id, { format: "atif" })).findings.map(({ kind }) => kind)).toEqual(
      expect.arrayContaining(["secret", "user", "email", "address"]),
    );
  }));

test.each(["html", "report-markdown"] as const)(
  "the ends of paths in a %s lie in a home that the events name",
  (format) =>
    inSession(async (archive, id) => {
      const text = (await bytesOf(archive, id, { format, mask: "all" })).toString().replaceAll("\\", "");
      expect(text).toContain("Write [user 1]/x");
      // Nothing else of the report says whose home it is.
      expect(text).not.toMatch(/\/home\//);
    }),
);

test("an export without masks, or with nothing to mask, is the same as ever", () =>
  inSession(async (archive, id) => {
    for (const format of ["jsonl", "bundle"] as const) {
      const plain = await bytesOf(archive, id, { format });
      expect((await bytesOf(archive, id, { format, mask: [] })).equals(plain)).toBe(true);
      const { findings } = await reviewExport(archive, id, { format });
      const accept = findings.map((one) => one.id);
      expect((await bytesOf(archive, id, { format, mask: "all", accept })).equals(plain)).toBe(true);
    }
  }));

test("a masked bundle has the same events elsewhere, and says that it was masked", () =>
  inSession(async (archive, id, dir) => {
    const path = join(dir, "masked.zip");
    writeFileSync(path, await bytesOf(archive, id, { format: "bundle", mask: "all" }));
    const again = await bytesOf(archive, id, { format: "bundle", mask: "all" });
    expect(again.equals(readFileSync(path))).toBe(true);
    await withArchive(join(dir, "to"), async (to) => {
      const { files } = await importAll(to, [path]);
      expect(files).toMatchObject([{ status: "imported", sessions: [id] }]);
      expect(files[0]!.reason).toMatch(/This bundle is masked\. Masked: .* differ from those that the agent wrote\./);
      const shape = async (one: Archive) =>
        (await listEvents(one, id, { from: 1, limit: 100 })).events.map(({ seq, type, toolCallId, turn }) => ({
          seq,
          type,
          toolCallId,
          turn,
        }));
      expect(await shape(to)).toEqual(await shape(archive));
      expect(to.sqlite.prepare("SELECT reason FROM sources").pluck().get()).toMatch(/Masked: /);
      expect((await check(to)).problems).toEqual([]);
    });
    // Where the session is already it stays as it is.
    const { files } = await importAll(archive, [path]);
    expect(files).toMatchObject([{ status: "unchanged", reason: expect.stringContaining("differs") as string }]);
  }));

test("a value that is accepted stays, and a kind is masked alone", () =>
  inSession(async (archive, id) => {
    const { findings } = await reviewExport(archive, id, { format: "markdown" });
    const secret = findings.find(({ value }) => value === TOKEN)!;
    const text = (await bytesOf(archive, id, { format: "markdown", accept: [secret.id] })).toString();
    expect(text).toContain(TOKEN);
    expect(text).not.toContain(PASSWORD);
    const users = (await bytesOf(archive, id, { format: "markdown", mask: ["user"] })).toString();
    expect(users).toContain(TOKEN);
    expect(users).not.toMatch(/sailor/);
  }));
