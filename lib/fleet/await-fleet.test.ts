// A node whose address has a mistyped host: which name it is stands in the log before anything is waited for.
import { expect, test } from "vitest";
import { awaitFleet } from "./await-fleet.ts";

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
