// Addresses that carry a signature of version 4, as S3 takes them. Signed at once, without a promise: a node signs and asks hundreds
// of objects a second, and through WebCrypto each signature took 0.5 ms of a processor, against 0.04.
import { createHmac, hash } from "node:crypto";

export type Signer = {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly region: string;
};

export type SignedParts = {
  readonly method: "GET" | "HEAD" | "PUT" | "DELETE";
  /** Its path has nothing that would be escaped. */
  readonly url: string;
  /** All of them are signed, so whoever asks has to send them. With x-amz-content-sha256 the bytes are, too. */
  readonly headers?: Readonly<Record<string, string>>;
  /** More of the query, escaped: names in lower case, in their order. */
  readonly query?: string;
  readonly seconds: number;
  readonly now: Date;
};

const ALGORITHM = "AWS4-HMAC-SHA256";

export function signedAddress(
  signer: Signer,
  { method, url, headers = {}, query: more, seconds, now }: SignedParts,
): string {
  const { host, pathname } = new URL(url);
  const at = now.toISOString().replaceAll(/[:-]|\.\d{3}/g, "");
  const scope = `${at.slice(0, 8)}/${signer.region}/s3/aws4_request`;
  const signed = Object.entries({ ...headers, host }).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const names = signed.map(([name]) => name).join(";");
  const query = [
    `X-Amz-Algorithm=${ALGORITHM}`,
    `X-Amz-Credential=${encodeURIComponent(`${signer.accessKeyId}/${scope}`)}`,
    `X-Amz-Date=${at}`,
    `X-Amz-Expires=${seconds}`,
    `X-Amz-SignedHeaders=${encodeURIComponent(names)}`,
    // Names are signed in their order: capital letters come first.
    ...(more === undefined ? [] : [more]),
  ].join("&");
  const request = [
    ...[method, pathname, query],
    ...signed.map(([name, value]) => `${name}:${value}`),
    ...["", names, headers["x-amz-content-sha256"] ?? "UNSIGNED-PAYLOAD"],
  ].join("\n");
  const text = [ALGORITHM, at, scope, hash("sha256", request, "hex")].join("\n");
  const key = scope.split("/").reduce<string | Buffer>(mac, `AWS4${signer.secretAccessKey}`);
  return `${url}?${query}&X-Amz-Signature=${mac(key, text).toString("hex")}`;
}

const mac = (key: string | Buffer, text: string): Buffer => createHmac("sha256", key).update(text).digest();
