import { expect, test } from "vitest";
import { shapeAnswer } from "#lib/wire/shape-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { inArchive } from "../testing-archive.ts";
import { createSession } from "./create-session.ts";
import { deleteArtifact } from "./delete-artifact.ts";
import { shapeOfArtifact } from "./shape-of-artifact.ts";
import { storeArtifact } from "./store-artifact.ts";

async function stored(archive: Archive, text: string | Uint8Array, contentType?: string): Promise<string> {
  const { id } = await createSession(archive, { id: "harbour" });
  const input = { session: id, name: "output", ...(contentType !== undefined && { contentType }) };
  return (await storeArtifact(archive, input, Buffer.from(text))).pointer;
}

test("documents, lines and tables are told by what they are", () =>
  inArchive(async (archive) => {
    const kinds: Record<string, string> = {
      '{"harbour":"Rye","draught":3}': "json",
      '{"port":"Rye"}\n{"port":"Hull"}\n': "lines",
      "port,metres\nRye,6.2\nHull,7.1\n": "table",
    };
    for (const [text, kind] of Object.entries(kinds)) {
      const answer = await shapeOfArtifact(archive, await stored(archive, text));
      expect(shapeAnswer.parse(answer)).toEqual(answer);
      expect(answer).toMatchObject({ kind, sizeBytes: text.length, readBytes: text.length, stopped: null });
      expect(answer.nodes).toHaveLength(kind === "lines" ? 2 : 3);
    }
  }));

test("JSON under another name is told as what it begins as", () =>
  inArchive(async (archive) => {
    const answer = await shapeOfArtifact(archive, await stored(archive, ' [1, 2, "x', "text/plain"));
    expect(answer).toMatchObject({ kind: "json", stopped: "broken", brokenAt: 10 });
  }));

test("a digest is read once, whoever asks and however many at once", () =>
  inArchive(async (archive) => {
    const [first, second] = [await stored(archive, '{"a":1}'), await stored(archive, '{"a":1}')];
    let reads = 0;
    const { shape } = archive.jobs;
    archive.jobs.shape = (request) => {
      reads++;
      return shape(request);
    };
    const answers = await Promise.all([first, first, second].map((pointer) => shapeOfArtifact(archive, pointer)));
    expect(new Set(answers).size).toBe(1);
    for (let other = 0; other < 20; other++) await shapeOfArtifact(archive, await stored(archive, `[${other}]`));
    expect(reads).toBe(21);
    await shapeOfArtifact(archive, first);
    expect(reads).toBe(22);
  }));

test("what fails is asked anew", () =>
  inArchive(async (archive) => {
    const pointer = await stored(archive, '{"a":1}');
    const { shape } = archive.jobs;
    archive.jobs.shape = () => Promise.reject(new Error("the thread ended"));
    await expect(shapeOfArtifact(archive, pointer)).rejects.toThrow("the thread ended");
    archive.jobs.shape = shape;
    expect(await shapeOfArtifact(archive, pointer)).toMatchObject({ values: 1 });
  }));

test("what was stopped by the clock is read anew: the machine may have been busy", () =>
  inArchive(async (archive) => {
    const pointer = await stored(archive, '{"a":1}');
    const { shape } = archive.jobs;
    archive.jobs.shape = async (request) => ({ ...(await shape(request)), stopped: "deadline" });
    expect(await shapeOfArtifact(archive, pointer)).toMatchObject({ stopped: "deadline" });
    archive.jobs.shape = shape;
    expect(await shapeOfArtifact(archive, pointer)).toMatchObject({ stopped: null });
  }));

test("text and bytes have none, and what was deleted is gone", () =>
  inArchive(async (archive) => {
    for (const content of ["only words\n", Uint8Array.of(0, 1, 2, 255)])
      await expect(shapeOfArtifact(archive, await stored(archive, content))).rejects.toMatchObject({
        code: "unsupported",
      });
    const pointer = await stored(archive, '{"a":1}');
    await shapeOfArtifact(archive, pointer);
    await deleteArtifact(archive, pointer);
    await expect(shapeOfArtifact(archive, pointer)).rejects.toMatchObject({
      code: expect.stringMatching(/not_found|conflict/),
    });
    await expect(shapeOfArtifact(archive, "art:nobody")).rejects.toMatchObject({ code: "not_found" });
  }));
