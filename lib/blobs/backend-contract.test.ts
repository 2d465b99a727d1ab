// What every blob backend promises. A backend that is in the registry is tested here.
import { createHash, randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { BlobRange, BlobStore } from "./blob-store.ts";
import { blobBackends } from "./index.ts";
import type { ObjectStore } from "./object-store.ts";
import { skippedFor, testBucket, testObjects } from "./testing-services.ts";

const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

async function all(blobs: BlobStore, digest: string, range?: BlobRange): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of blobs.read(digest, range)) pieces.push(piece);
  return Buffer.concat(pieces);
}

async function* inPieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
}

async function listed(blobs: BlobStore): Promise<string[]> {
  const digests: string[] = [];
  for await (const digest of blobs.list()) digests.push(digest);
  return digests;
}

const gateway = await testBucket();

for (const backend of blobBackends)
  describe.skipIf(backend.scheme === "s3" && "missing" in gateway)(
    `the ${backend.scheme} backend${backend.scheme === "s3" ? skippedFor(gateway) : ""}`,
    () => {
      let dir = "";
      let blobs: BlobStore;
      let objects: ObjectStore;
      const reopen = (): BlobStore => (backend.scheme === "file" ? backend.open(dir) : backend.open(dir, objects));
      beforeEach(async () => {
        if (backend.scheme === "s3") objects = await testObjects();
        dir = mkdtempSync(join(tmpdir(), "plimsoll-blobs-"));
        blobs = reopen();
      });
      afterEach(() => rmSync(dir, { recursive: true, force: true }));

      const put = async (bytes: Uint8Array): Promise<string> => {
        const digest = blobs.stage(bytes);
        await blobs.flush();
        return digest;
      };

      test("names bytes by their sha-256, and the same bytes once", async () => {
        expect(blobs.scheme).toBe(backend.scheme);
        const bytes = randomBytes(5000);
        expect(blobs.stage(bytes)).toBe(sha256(bytes));
        expect(blobs.stage(Buffer.from(bytes))).toBe(sha256(bytes));
        await blobs.flush();
        expect(await put(bytes)).toBe(sha256(bytes));
        expect(await listed(reopen())).toEqual([sha256(bytes)]);
        expect((await all(reopen(), sha256(bytes))).equals(bytes)).toBe(true);
      });

      test("shows nothing before the barrier, and nothing of what was discarded", async () => {
        const digest = blobs.stage(Buffer.from("one"));
        expect(await blobs.has(digest)).toBe(false);
        expect(await listed(blobs)).toEqual([]);
        await blobs.discard();
        await blobs.flush();
        expect(await blobs.has(digest)).toBe(false);
        expect(await put(Buffer.from("one"))).toBe(digest);
        expect(await blobs.has(digest)).toBe(true);
      });

      test("answers not_found for what is absent, and refuses what is no digest", async () => {
        const absent = sha256(Buffer.from("absent"));
        expect(await blobs.has(absent)).toBe(false);
        expect(await blobs.verify(absent)).toBe("missing");
        await expect(blobs.size(absent)).rejects.toMatchObject({ code: "not_found" });
        await expect(all(blobs, absent)).rejects.toMatchObject({ code: "not_found" });
        for (const odd of ["", "..", "../../../etc/passwd", absent.toUpperCase(), `${absent}\n`, `${absent}0`]) {
          await expect(blobs.has(odd)).rejects.toMatchObject({ code: "invalid" });
          await expect(blobs.remove(odd)).rejects.toMatchObject({ code: "invalid" });
          await expect(blobs.size(odd)).rejects.toMatchObject({ code: "invalid" });
          await expect(blobs.verify(odd)).rejects.toMatchObject({ code: "invalid" });
          await expect(all(blobs, odd)).rejects.toMatchObject({ code: "invalid" });
        }
      });

      test("keeps an empty blob", async () => {
        const digest = await put(new Uint8Array(0));
        expect([await blobs.size(digest), await blobs.verify(digest), (await all(blobs, digest)).length]).toEqual([
          0,
          "ok",
          0,
        ]);
        const streamed = await blobs.stageStream(inPieces(new Uint8Array(0), 1));
        expect(streamed).toEqual({ digest, size: 0, lineCount: 0 });
        await blobs.flush();
        expect(await listed(blobs)).toEqual([digest]);
      });

      test("gives exact ranges, of small blobs and of large ones", async () => {
        for (const size of [1000, 3 * 1024 * 1024 + 17]) {
          const bytes = randomBytes(size);
          const digest = await put(bytes);
          await fc.assert(
            fc.asyncProperty(fc.nat(size + 10), fc.nat(size + 10), async (a, b) => {
              const range = { start: Math.min(a, b), end: Math.max(a, b) };
              expect((await all(blobs, digest, range)).equals(bytes.subarray(range.start, range.end))).toBe(true);
            }),
            { numRuns: 40 },
          );
          await expect(all(blobs, digest, { start: 5, end: 4 })).rejects.toMatchObject({ code: "invalid" });
          await expect(all(blobs, digest, { start: -1, end: 4 })).rejects.toMatchObject({ code: "invalid" });
        }
      });

      test("takes a stream in any pieces, and counts its lines", async () => {
        await fc.assert(
          fc.asyncProperty(
            fc.string({ unit: fc.constantFrom("a", "\n", "é"), maxLength: 60 }),
            fc.integer({ min: 1, max: 9 }),
            async (text, size) => {
              const bytes = Buffer.from(text);
              const staged = await blobs.stageStream(inPieces(bytes, size));
              const lines = text === "" ? 0 : text.split("\n").length - (text.endsWith("\n") ? 1 : 0);
              expect(staged).toEqual({ digest: sha256(bytes), size: bytes.length, lineCount: lines });
              await blobs.flush();
              expect((await all(blobs, staged.digest)).equals(bytes)).toBe(true);
            },
          ),
          { numRuns: 40 },
        );
      });

      test("leaves nothing of a stream that fails, is cancelled or is too large", async () => {
        const failing = async function* () {
          yield Buffer.from("some");
          throw new Error("the sender went away");
        };
        await expect(blobs.stageStream(failing())).rejects.toThrow("the sender went away");
        const long = () => inPieces(Buffer.alloc(100), 10);
        await expect(blobs.stageStream(long(), { maxBytes: 50 })).rejects.toMatchObject({ code: "too_large" });
        await expect(blobs.stageStream(long(), { signal: AbortSignal.abort() })).rejects.toThrow(/abort/i);
        await blobs.flush();
        expect(await listed(blobs)).toEqual([]);
        expect((await blobs.stageStream(long(), { maxBytes: 100 })).size).toBe(100);
      });

      test("takes the same content at the same time from many", async () => {
        const bytes = randomBytes(200_000);
        const others = Array.from({ length: 20 }, (_, i) => Buffer.from(`blob ${i}`));
        await Promise.all(
          others.map(async (other, i) => {
            if (i % 2 === 0) await blobs.stageStream(inPieces(bytes, 1000 + i));
            else blobs.stage(bytes);
            blobs.stage(other);
            await blobs.flush();
            expect((await all(blobs, sha256(bytes))).equals(bytes)).toBe(true);
            expect(await blobs.verify(sha256(other))).toBe("ok");
          }),
        );
        expect(await listed(blobs)).toEqual([bytes, ...others].map(sha256).toSorted());
      });

      test("removes a blob, and again when it is gone", async () => {
        const digest = await put(Buffer.from("one"));
        await blobs.remove(digest);
        await blobs.remove(digest);
        expect(await blobs.has(digest)).toBe(false);
        expect(await put(Buffer.from("one"))).toBe(digest);
        expect(await blobs.verify(digest)).toBe("ok");
      });

      test("a put that is refused drops its bytes, and nothing that another put or a batch relies on", async () => {
        const bytes = Buffer.from("shared");
        const claim = { claim: true };
        const digest = blobs.stage(bytes, claim);
        blobs.stage(bytes, claim);
        expect(blobs.release(digest)).toBe(1);
        await blobs.discard();
        await blobs.flush(digest);
        expect(await blobs.has(digest)).toBe(true);
        expect(blobs.release(digest)).toBe(0);
        // Once a barrier kept it, releasing takes nothing away.
        expect(await blobs.has(digest)).toBe(true);

        const other = blobs.stage(Buffer.from("the batch's"));
        blobs.stage(Buffer.from("the batch's"), claim);
        blobs.release(other);
        const alone = await blobs.stageStream(inPieces(Buffer.from("nobody's"), 3), claim);
        blobs.release(alone.digest);
        await blobs.flush();
        expect([await blobs.has(other), await blobs.has(alone.digest)]).toEqual([true, false]);
      });

      test("what is staged for a put outlives a batch that is given up", async () => {
        const kept = await blobs.stageStream(inPieces(Buffer.from("a put's"), 3), { claim: true });
        const gone = blobs.stage(Buffer.from("a batch's"));
        await blobs.discard();
        await blobs.flush(kept.digest);
        expect([await blobs.has(kept.digest), await blobs.has(gone)]).toEqual([true, false]);
        expect(blobs.touchedAt(gone)).toBe(null);
        expect(Math.abs((blobs.touchedAt(kept.digest) ?? 0) - Date.now())).toBeLessThan(60_000);
      });

      test("of a blob that is stored again its age starts anew, so that a sweep spares it", async () => {
        const bytes = Buffer.from("stored long ago");
        const digest = await put(bytes);
        const long = new Date(Date.now() - 3_600_000);
        for (const again of [
          async () => blobs.stage(bytes),
          async () => (await blobs.stageStream(inPieces(bytes, 4))).digest,
        ]) {
          if (blobs.path !== undefined) utimesSync(blobs.path(digest), long, long);
          expect(await again()).toBe(digest);
          await blobs.flush();
          expect(Date.now() - blobs.touchedAt(digest)!).toBeLessThan(60_000);
        }
      });
    },
  );
