import { expect, test } from "vitest";
import { signedAddress } from "./signed-address.ts";

// Of Amazon's own documentation ("Authenticating Requests: Using Query Parameters").
const SIGNER = {
  accessKeyId: "AKIAIOSFODNN7EXAMPLE",
  secretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
  region: "us-east-1",
};
const NOW = new Date("2013-05-24T00:00:00Z");

test("the example that Amazon gives has the signature that it gives", () => {
  const url = "https://examplebucket.s3.amazonaws.com/test.txt";
  expect(signedAddress(SIGNER, { method: "GET", url, seconds: 86_400, now: NOW })).toBe(
    "https://examplebucket.s3.amazonaws.com/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404",
  );
});

test("each part of a request changes its signature", () => {
  const parts = { method: "PUT", url: "http://127.0.0.1:9000/b/a/one", seconds: 60, now: NOW } as const;
  const headers = { "if-none-match": "*", "x-amz-content-sha256": "0".repeat(64) };
  const signature = (more: object): string =>
    signedAddress(SIGNER, { ...parts, headers, ...more }).replace(/.*Signature=/, "");
  const all = [
    ...[{}, { method: "HEAD" }, { url: "http://127.0.0.1:9000/b/a/two" }, { url: "http://127.0.0.1:9001/b/a/one" }],
    ...[{ seconds: 61 }, { now: new Date(NOW.getTime() + 1000) }, { headers: {} }],
    ...[{ headers: { ...headers, "if-none-match": "x" } }, { headers: { ...headers, "x-amz-content-sha256": "1" } }],
  ].map(signature);
  expect(new Set(all).size).toBe(all.length);
});
