// The object store of an address: s3://KEY:SECRET@host/bucket (https), s3+http://… without TLS, file:///folder.
import { fileURLToPath } from "node:url";
import { fail } from "#lib/kernel/errors.ts";
import { folderObjects } from "./folder-objects.ts";
import type { ObjectStore } from "./object-store.ts";
import { s3Objects } from "./s3-objects.ts";

/** What the environment says. */
export type Environment = Readonly<Record<string, string | undefined>>;

const FORMS = "s3://KEY:SECRET@host/bucket, s3+http://… without TLS, or file:///folder";

export function openObjects(address: string, env: Environment = {}): ObjectStore {
  const url = URL.parse(address);
  if (url?.protocol === "file:") return folderObjects(fileURLToPath(url));
  if (url?.protocol !== "s3:" && url?.protocol !== "s3+http:")
    fail("invalid", `"${withoutKeys(address)}" is not the address of a bucket. Give ${FORMS}.`);
  const bucket = url.pathname.replace(/^\/|\/$/g, "");
  if (!/^[a-z0-9][a-z0-9.-]{1,62}$/.test(bucket))
    fail("invalid", `"${withoutKeys(address)}" names no bucket. Give ${FORMS}.`);
  const accessKeyId = decodeURIComponent(url.username) || (env["AWS_ACCESS_KEY_ID"] ?? "");
  const secretAccessKey = decodeURIComponent(url.password) || (env["AWS_SECRET_ACCESS_KEY"] ?? "");
  if (accessKeyId === "" || secretAccessKey === "")
    fail(
      "invalid",
      `${withoutKeys(address)} has no keys. Put them into the address, or into AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.`,
    );
  const scheme = url.protocol === "s3:" ? "https" : "http";
  const region = url.searchParams.get("region") ?? (env["AWS_REGION"] || "us-east-1");
  return s3Objects({ endpoint: `${scheme}://${url.host}/${bucket}`, accessKeyId, secretAccessKey, region });
}

/** An address as it may be shown. */
export const withoutKeys = (address: string): string => address.replace(/\/\/[^/@]*@/, "//").slice(0, 200);
