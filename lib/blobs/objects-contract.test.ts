// What every object store promises, over a folder and over a real S3 gateway.
import { createHash, randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ObjectStore } from "./object-store.ts";
import { openObjects, withoutKeys } from "./open-objects.ts";
import { s3Objects } from "./s3-objects.ts";
import { skippedFor, testBucket } from "./testing-services.ts";

const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

async function* inPieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
}

async function namesOf(objects: ObjectStore, prefix: string): Promise<string[]> {
  const names: string[] = [];
  for await (const { name } of objects.list(prefix)) names.push(name);
  return names;
}

const dir = mkdtempSync(join(tmpdir(), "plimsoll-objects-"));
afterAll(() => rmSync(dir, { recursive: true, force: true }));
const bucket = await testBucket();
const STORES = [
  { name: "a folder", found: { address: pathToFileURL(join(dir, "bucket")).href } },
  { name: "an S3 gateway", found: bucket },
];

for (const { name, found } of STORES)
  describe.skipIf("missing" in found)(`objects in ${name}${skippedFor(found)}`, () => {
    let objects: ObjectStore;
    beforeAll(async () => {
      objects = openObjects((found as { address: string }).address);
      await expect(objects.check()).rejects.toMatchObject({ code: "not_found" });
      await objects.ensure();
      await objects.ensure();
      await objects.check();
    });

    test("the first bytes of a name stay", async () => {
      expect(await objects.put("a/one", Buffer.from("first"))).toBe("stored");
      expect(await objects.put("a/one", Buffer.from("second"))).toBe("there");
      expect(Buffer.from(await objects.get("a/one")).toString()).toBe("first");
      const many = await Promise.all(
        Array.from({ length: 8 }, (_, i) => objects.put("a/race", Buffer.from(`writer ${i}`))),
      );
      expect(many.filter((result) => result === "stored")).toHaveLength(1);
      const winner = many.indexOf("stored");
      expect(Buffer.from(await objects.get("a/race")).toString()).toBe(`writer ${winner}`);
    });

    test("any range of any bytes is exact", async () => {
      const bytes = randomBytes(70_000);
      await objects.put("ranges/one", bytes);
      await fc.assert(
        fc.asyncProperty(fc.nat(bytes.length + 10), fc.nat(bytes.length + 10), async (a, b) => {
          const [start, end] = [Math.min(a, b), Math.max(a, b)];
          expect(Buffer.from(await objects.get("ranges/one", { start, end })).equals(bytes.subarray(start, end))).toBe(
            true,
          );
        }),
        { numRuns: 25 },
      );
      await expect(objects.get("ranges/one", { start: 3, end: 2 })).rejects.toMatchObject({ code: "invalid" });
    });

    test("a stream is stored whole in parts, and nothing of one that fails", async () => {
      const bytes = randomBytes(11 * 1024 * 1024 + 5);
      expect(await objects.putStream("streams/parts", inPieces(bytes, 700_001), 5 * 1024 * 1024)).toBe("stored");
      expect(await objects.putStream("streams/parts", inPieces(bytes, 700_001), 5 * 1024 * 1024)).toBe("there");
      const pieces: Uint8Array[] = [];
      for await (const piece of objects.read("streams/parts")) pieces.push(piece);
      expect(Buffer.concat(pieces).equals(bytes)).toBe(true);
      const failing = async function* () {
        yield randomBytes(6 * 1024 * 1024);
        yield randomBytes(6 * 1024 * 1024);
        throw new Error("the sender went away");
      };
      await expect(objects.putStream("streams/failed", failing(), 5 * 1024 * 1024)).rejects.toThrow("went away");
      expect(await objects.head("streams/failed")).toBe(null);
      expect(await objects.putStream("streams/empty", inPieces(new Uint8Array(), 1))).toBe("stored");
      expect(await objects.head("streams/empty")).toEqual({ size: 0 });
      expect(await namesOf(objects, "streams/")).toEqual(["streams/empty", "streams/parts"]);
    });

    test("what is absent is told apart, and removing it twice is no error", async () => {
      await expect(objects.get("absent/one")).rejects.toMatchObject({ code: "not_found" });
      await expect(objects.get("absent/one", { start: 0, end: 0 })).rejects.toMatchObject({ code: "not_found" });
      await expect(objects.read("absent/one")[Symbol.asyncIterator]().next()).rejects.toMatchObject({
        code: "not_found",
      });
      expect(await objects.head("absent/one")).toBe(null);
      await objects.put("gone/one", Buffer.from("x"));
      await objects.remove("gone/one");
      await objects.remove("gone/one");
      expect(await objects.head("gone/one")).toBe(null);
      for (const odd of ["", "..", "a/../b", "/a", "a//b", "A", "a b"])
        await expect(objects.put(odd, Buffer.from("x"))).rejects.toMatchObject({ code: "invalid" });
    });

    test("a list has every name below a prefix once, in order", async () => {
      const names = Array.from(
        { length: 25 },
        (_, i) => `list/${(i % 5).toString()}/${sha256(Buffer.from(`${i}`)).slice(0, 8)}`,
      );
      await Promise.all(names.map((one) => objects.put(one, Buffer.from(one))));
      expect(await namesOf(objects, "list/")).toEqual(names.toSorted());
      expect(await namesOf(objects, "list/3/")).toEqual(names.filter((one) => one.startsWith("list/3/")).toSorted());
      expect(await namesOf(objects, "nothing/")).toEqual([]);
    });

    test("a signed PUT takes the bytes of its digest alone, once, and tells nobody the keys", async () => {
      const bytes = randomBytes(2000);
      const signed = await objects.signPut("signed/one", sha256(bytes), 60);
      if (signed === null) return expect(name).toBe("a folder");
      const send = (body: Uint8Array<ArrayBuffer>, headers = signed.headers): Promise<Response> =>
        fetch(signed.url, { method: "PUT", body, headers });
      expect((await send(randomBytes(2000))).status).toBe(400);
      expect((await send(new Uint8Array(bytes), { "if-none-match": "*" })).status).toBe(403);
      expect(await objects.head("signed/one")).toBe(null);
      expect((await send(new Uint8Array(bytes))).status).toBe(200);
      expect((await send(new Uint8Array(bytes))).status).toBe(412);
      const get = await objects.signGet("signed/one", 60);
      expect(Buffer.from(await (await fetch(get!.url)).arrayBuffer()).equals(bytes)).toBe(true);
      expect(signed.url).not.toContain("SK");
    });
  });

test("an address that is none is refused without its keys", () => {
  for (const address of [
    "http://host/bucket",
    "s3://host",
    "s3://host/Bucket",
    "s3://id:very-secret@host/",
    "nothing",
  ]) {
    expect(() => openObjects(address)).toThrow(expect.objectContaining({ code: "invalid" }) as Error);
    expect(() => openObjects(address)).not.toThrow(/very-secret/);
  }
  expect(() => openObjects("s3://host/bucket")).toThrow(/AWS_ACCESS_KEY_ID/);
  expect(withoutKeys("s3://id:secret@host/bucket")).toBe("s3://host/bucket");
});

test("a bucket that is away is named, with what to do", async () => {
  const objects = openObjects("s3+http://id:secret@127.0.0.1:47999/bucket");
  await expect(objects.head("one")).rejects.toMatchObject({
    code: "timeout",
    message: expect.stringMatching(/127\.0\.0\.1:47999\/bucket does not answer \(ECONNREFUSED\)/) as string,
  });
});

test("a bucket that takes requests and answers none is asked once, for as long as a request may take", async () => {
  let asked = 0;
  const server = createServer(() => void asked++);
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}/bucket`;
  const objects = s3Objects({ endpoint, accessKeyId: "id", secretAccessKey: "secret", region: "us-east-1" }, 300);
  try {
    for (const ask of [() => objects.check(), () => objects.get("one"), () => objects.head("one")]) {
      asked = 0;
      const startedAt = performance.now();
      await expect(ask()).rejects.toMatchObject({ code: "timeout" });
      expect([asked, performance.now() - startedAt < 1000]).toEqual([1, true]);
    }
  } finally {
    server.closeAllConnections();
    server.close();
  }
});
