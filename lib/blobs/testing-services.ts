// PostgreSQL and an S3 gateway for tests of what is shared by machines: one pair for all files of a run, started by the first
// that asks. Where one cannot be started its tests are skipped, and their name says why. PLIMSOLL_TEST_DATABASE and
// PLIMSOLL_TEST_BUCKET (s3+http://KEY:SECRET@host) name others.
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { openObjects } from "./open-objects.ts";
import type { ObjectStore } from "./object-store.ts";

type Found = {
  /** A server that may make databases. */
  readonly database: { readonly url: string } | { readonly missing: string };
  readonly bucket:
    | { readonly endpoint: string; readonly keys: readonly [string, string] }
    | { readonly missing: string };
};

/** Three tries to start the gateway, of a minute each. */
const WAIT_MS = 240_000;

/** What runs on this machine, started at the first call. */
export async function testServices(): Promise<Found> {
  const { PLIMSOLL_TEST_DATABASE: url, PLIMSOLL_TEST_BUCKET: bucket, PLIMSOLL_TEST_SERVICES: dir } = process.env;
  if (url !== undefined && bucket !== undefined) {
    const at = new URL(bucket);
    return { database: { url }, bucket: { endpoint: `http://${at.host}`, keys: [at.username, at.password] } };
  }
  if (dir === undefined) throw new Error("PLIMSOLL_TEST_SERVICES is not set. Run tests with npm run unit.");
  const file = join(dir, "services.json");
  // Who makes the folder starts them.
  if (!existsSync(dir) && mkdirSync(dir, { recursive: true }) !== undefined)
    spawn(process.execPath, ["scripts/fleet/services.ts", dir, process.env["PLIMSOLL_TEST_OWNER"]!], {
      ...{ detached: true, stdio: "ignore" },
    }).unref();
  for (const end = Date.now() + WAIT_MS; Date.now() < end; await setTimeout(100))
    if (existsSync(file)) return JSON.parse(readFileSync(file, "utf8")) as Found;
  throw new Error("PostgreSQL and the gateway did not say within 240 s whether they start.");
}

/** The address of a bucket of one's own; null with the reason where there is no gateway. */
export async function testBucket(): Promise<{ readonly address: string } | { readonly missing: string }> {
  const { bucket } = await testServices();
  if ("missing" in bucket) return bucket;
  const [id, secret] = bucket.keys;
  const name = `t-${randomBytes(6).toString("hex")}`;
  return { address: `${bucket.endpoint.replace("http:", "s3+http:").replace("//", `//${id}:${secret}@`)}/${name}` };
}

/** An object store over it, which is there. */
export async function testObjects(): Promise<ObjectStore> {
  const bucket = await testBucket();
  if ("missing" in bucket) throw new Error(bucket.missing);
  const objects = openObjects(bucket.address);
  await objects.ensure();
  return objects;
}

/** "" where it runs, else what to add to the name of what is skipped. */
export const skippedFor = (...needs: readonly (object | { readonly missing: string })[]): string => {
  const reasons = needs.flatMap((one) => ("missing" in one ? [(one as { missing: string }).missing] : []));
  return reasons.length === 0 ? "" : ` (NOT RUN: ${reasons.join("; ")})`;
};
