// An archive of an older release: its search index has the envelopes of offloaded outputs, and not what was stored.
import { rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Archive } from "../base/archive-type.ts";
import { recall } from "../memory/recall-session.ts";
import { findInSession } from "../sessions/find-in-session.ts";
import { inArchive } from "../testing-archive.ts";
import { createSession } from "./create-session.ts";
import { deleteArtifact } from "./delete-artifact.ts";
import { fillSearch } from "./fill-search.ts";
import { recordOutput } from "./record-output.ts";
import { resolveArtifact } from "./resolve.ts";

const NAMES = ["zeppelin", "pier", "buoy", "anchor"] as const;

/** The word is in the middle of 20 KB. */
const logOf = (name: string): string =>
  Array.from({ length: 600 }, (_, i) => (i === 300 ? `the ${name}Keeper walks` : `tide ${i} of ${name.length}`)).join(
    "\n",
  );

/** Runs with four outputs, and the index as an older release left it. */
const older = (run: (archive: Archive, id: string, pointers: Record<string, string>) => Promise<void>): Promise<void> =>
  inArchive(async (archive) => {
    const { id } = await createSession(archive, { id: "run", policy: { preset: "openclaw" } });
    const pointers: Record<string, string> = {};
    for (const name of NAMES) {
      const input = { session: id, toolName: "bash", toolCallId: name, isError: false };
      const { decision } = await recordOutput(archive, input, Buffer.from(logOf(name)));
      pointers[name] = decision.pointer!;
    }
    archive.sqlite.exec(`
      DELETE FROM search WHERE rowid IN (SELECT id FROM events WHERE type = 'tool_result');
      INSERT INTO search (rowid, text) SELECT id, body ->> 'text' FROM events WHERE type = 'tool_result';
    `);
    expect(await found(archive, id)).toEqual([]);
    await run(archive, id, pointers);
  });

async function found(archive: Archive, id: string): Promise<string[]> {
  const names: string[] = [];
  for (const name of NAMES) if ((await findInSession(archive, id, `${name}Keeper`)).total > 0) names.push(name);
  return names;
}

test("the words of outputs that were offloaded before are found once they are added", () =>
  older(async (archive, id, pointers) => {
    const named = (await findInSession(archive, id, "bash")).total;
    expect(await fillSearch(archive)).toBe(4);
    expect(await found(archive, id)).toEqual([...NAMES]);
    const { items } = await recall(archive, id, { query: "zeppelinKeeper" });
    expect(items).toContainEqual(expect.objectContaining({ pointer: pointers["zeppelin"], line: 301 }));
    // The envelope, which has the tool's name, is found as before; and it is done once.
    expect(named).toBeGreaterThanOrEqual(4);
    expect((await findInSession(archive, id, "bash")).total).toBe(named);
    expect(await fillSearch(archive)).toBe(0);
    // Once it is deleted its words are found no more.
    await deleteArtifact(archive, pointers["pier"]!);
    expect(await found(archive, id)).toEqual(["zeppelin", "buoy", "anchor"]);
  }));

test("what is deleted, or whose bytes are gone, is skipped", () =>
  older(async (archive, id, pointers) => {
    await deleteArtifact(archive, pointers["pier"]!);
    rmSync(join(archive.dir, "blobs"), { recursive: true, force: true });
    archive.blobs.putNow(resolveArtifact(archive, pointers["anchor"]!).digest, Buffer.from(logOf("anchor")));
    expect(await fillSearch(archive)).toBe(1);
    expect(await found(archive, id)).toEqual(["anchor"]);
    expect(await fillSearch(archive)).toBe(0);
  }));

test("it goes on where it was stopped", () =>
  older(async (archive, id) => {
    const stop = new AbortController();
    let rounds = 0;
    const between = async (): Promise<void> => void (++rounds === 3 && stop.abort());
    expect(await fillSearch(archive, { signal: stop.signal, between })).toBe(2);
    expect(await found(archive, id)).toEqual(["zeppelin", "pier"]);
    expect(await fillSearch(archive)).toBe(2);
    expect(await found(archive, id)).toEqual([...NAMES]);
  }));

test("what was stored since is not looked at again", () =>
  inArchive(async (archive) => {
    expect(await fillSearch(archive)).toBe(0);
    const { id } = await createSession(archive, { id: "run", policy: { preset: "openclaw" } });
    const input = { session: id, toolName: "bash", toolCallId: "c", isError: false };
    await recordOutput(archive, input, Buffer.from(logOf("pier")));
    let looked = 0;
    expect(await fillSearch(archive, { between: async () => void looked++ })).toBe(0);
    expect([looked, await found(archive, id)]).toEqual([1, ["pier"]]);
  }));
