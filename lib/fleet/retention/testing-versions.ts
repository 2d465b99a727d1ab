// Versions of a bucket's objects, as S3 keeps them where it is told to: what tools that copy a bucket as it was at a time do.
import { signedAddress } from "#lib/blobs/signed-address.ts";
import type { ObjectStore } from "#lib/blobs/object-store.ts";

export type Version = {
  readonly name: string;
  readonly id: string;
  readonly at: number;
  /** A removal. */
  readonly isMarker: boolean;
};

export type BucketVersions = {
  /** From now on the bucket keeps what is removed. */
  enable(): Promise<void>;
  /** The newest of each name first. */
  list(prefix: string): Promise<Version[]>;
  /** Copies objects as they were at a time. */
  copyAt(at: number, to: ObjectStore): Promise<void>;
  /** Takes removals since a time back, in the bucket itself; how many. */
  undoRemovals(since: number): Promise<number>;
};

const PREFIXES = ["segments/", "blobs/"] as const;
const ENABLED =
  '<VersioningConfiguration xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Status>Enabled</Status></VersioningConfiguration>';

export function bucketVersions(address: string): BucketVersions {
  const { host, pathname, username, password } = new URL(address);
  const signer = { accessKeyId: username, secretAccessKey: password, region: "us-east-1" };

  async function ask(method: "GET" | "PUT" | "DELETE", key: string, query: string, body?: string): Promise<Response> {
    const url = `http://${host}${pathname}${key === "" ? "" : `/${key}`}`;
    const answer = await fetch(signedAddress(signer, { method, url, query, seconds: 300, now: new Date() }), {
      method,
      ...(body !== undefined && { body }),
    });
    if (!answer.ok) throw new Error(`${method} ${key}?${query}: status ${answer.status} ${await answer.text()}`);
    return answer;
  }

  async function list(prefix: string): Promise<Version[]> {
    const found: Version[] = [];
    for (let [key, id] = ["", ""]; ;) {
      const marks = { "key-marker": key, prefix, "version-id-marker": id, versions: "" };
      const query = Object.entries(marks).map((pair) => pair.map(encodeURIComponent).join("="));
      const text = await (await ask("GET", "", query.join("&"))).text();
      for (const [, kind, inner = ""] of text.matchAll(/<(Version|DeleteMarker)>(.*?)<\/\1>/gs))
        found.push({
          ...{ name: field(inner, "Key"), id: field(inner, "VersionId"), isMarker: kind === "DeleteMarker" },
          at: Date.parse(field(inner, "LastModified")),
        });
      if (!text.includes("<IsTruncated>true")) break;
      [key, id] = [field(text, "NextKeyMarker"), field(text, "NextVersionIdMarker")];
    }
    return found.toSorted((one, other) =>
      one.name === other.name ? other.at - one.at : one.name < other.name ? -1 : 1,
    );
  }

  return {
    enable: async () => void (await ask("PUT", "", "versioning=", ENABLED)),
    list,
    async copyAt(at, to) {
      for (const prefix of PREFIXES) {
        const seen = new Set<string>();
        for (const { name, id, isMarker } of (await list(prefix)).filter((one) => one.at <= at)) {
          if (seen.has(name)) continue;
          seen.add(name);
          if (isMarker) continue;
          const answer = await ask("GET", name, `versionId=${encodeURIComponent(id)}`);
          await to.put(name, new Uint8Array(await answer.arrayBuffer()));
        }
      }
    },
    async undoRemovals(since) {
      const all = (await Promise.all(PREFIXES.map(list))).flat();
      const removals = all.filter(({ isMarker, at }) => isMarker && at > since);
      for (const { name, id } of removals) await ask("DELETE", name, `versionId=${encodeURIComponent(id)}`);
      return removals.length;
    },
  };
}

const field = (text: string, name: string): string => text.split(`<${name}>`)[1]?.split("<")[0] ?? "";
