// A node whose address has a mistyped host: which name it is stands in the log before anything is waited for.
import { lookup } from "node:dns/promises";
import { expect, test, vi } from "vitest";
import { awaitFleet } from "./await-fleet.ts";

vi.mock("node:dns/promises", async (original) => {
  const real = await original<typeof import("node:dns/promises")>();
  return { ...real, lookup: vi.fn(real.lookup) };
});

test("a host whose name does not resolve is named at once, and tried again", { timeout: 30_000 }, async () => {
  const notes: string[] = [];
  const address = {
    database: "postgres://plimsoll:secret@db.mistyped.invalid/plimsoll",
    bucket: "s3+http://KEY:SECRET@s3.mistyped.invalid:9200/plimsoll",
  };
  const { fleet, database, bucket } = await awaitFleet(address, {}, (text) => void notes.push(text));
  expect(notes.slice(0, 2).toSorted()).toEqual([
    expect.stringMatching(
      /^The host db\.mistyped\.invalid does not resolve \((ENOTFOUND|EAI_AGAIN)\)\. Check PLIMSOLL_DATABASE; the node goes on trying\.$/,
    ),
    expect.stringMatching(
      /^The host s3\.mistyped\.invalid does not resolve \((ENOTFOUND|EAI_AGAIN)\)\. Check PLIMSOLL_BUCKET; the node goes on trying\.$/,
    ),
  ]);
  expect(
    notes
      .slice(2)
      .map((text) => text.split(" (")[0])
      .toSorted(),
  ).toEqual(["Waiting for PostgreSQL", "Waiting for S3"]);
  expect(notes.join()).not.toMatch(/secret/i);
  await fleet.close();
  await expect(database).rejects.toMatchObject({ name: "AbortError" });
  await expect(bucket).rejects.toMatchObject({ name: "AbortError" });
});

test("a server of names that answers nothing holds nobody up", { timeout: 30_000 }, async () => {
  vi.mocked(lookup).mockReturnValue(new Promise<never>(() => undefined));
  const notes: string[] = [];
  const address = {
    database: "postgres://plimsoll@127.0.0.1:9/plimsoll",
    bucket: "s3+http://K:S@127.0.0.1:9/plimsoll",
  };
  const { fleet, database, bucket } = await awaitFleet(address, {}, (text) => void notes.push(text));
  expect(notes.map((text) => text.split(" (")[0]).toSorted()).toEqual(["Waiting for PostgreSQL", "Waiting for S3"]);
  await fleet.close();
  await expect(database).rejects.toMatchObject({ name: "AbortError" });
  await expect(bucket).rejects.toMatchObject({ name: "AbortError" });
});
