// The files of a transcript's artifacts: stored with their registry lines, and read back by id and digest.
import { join } from "node:path";
import { fail } from "#lib/kernel/errors.ts";
import { freeArtifactId } from "#lib/kernel/artifacts/pointer.ts";
import { privateFolder, readRegular, replaceFile } from "../private-files.ts";
import type { OpenClawArtifactRef } from "./artifact.ts";
import { contentHash, payloadName, sizeOfContent, summaryOfContent } from "./artifact.ts";
import type { BadRegistryLine, RegistryEntry } from "./artifact-registry.ts";
import { appendEntries, findByHash, findById, readRegistry } from "./artifact-registry.ts";
import type { InlineResult } from "./transcript.ts";

export type StoredPayloads = {
  /** One for each result, in order. */
  readonly refs: readonly OpenClawArtifactRef[];
  readonly bad: readonly BadRegistryLine[];
};

/** Stores each content once, and adds what the registry does not have. Synced when it returns. */
export async function storePayloads(
  artifactsDir: string,
  results: readonly InlineResult[],
  of: { readonly sessionKey: string | undefined; readonly sessionId: string | undefined },
): Promise<StoredPayloads> {
  if (results.length === 0) return { refs: [], bad: [] };
  await privateFolder(artifactsDir);
  const registry = await readRegistry(artifactsDir);
  const added = new Map<string, RegistryEntry>();
  const refs: OpenClawArtifactRef[] = [];
  for (const result of results) {
    const hash = contentHash(result.content);
    const isTaken = (id: string): boolean => {
      const entry = findById(registry, id) ?? [...added.values()].find(({ artifact }) => artifact.id === id);
      return entry !== undefined && entry !== null && entry.hash !== hash;
    };
    const id = findByHash(registry, hash)?.artifact.id ?? added.get(hash)?.artifact.id ?? freeArtifactId(hash, isTaken);
    const ref: OpenClawArtifactRef = {
      id,
      type: "tool-result",
      ...(result.toolName === undefined ? {} : { toolName: result.toolName }),
      createdAt: result.createdAt,
      sizeBytes: sizeOfContent(result.content),
      summary: summaryOfContent(result.content),
      path: payloadName(id),
      hash,
    };
    refs.push(ref);
    if (added.has(hash)) continue;
    if ((await readContent(artifactsDir, id, hash)) === undefined) await writePayload(artifactsDir, ref, result);
    added.set(hash, { hash, artifact: ref, ...defined(of) });
  }
  await appendEntries(
    artifactsDir,
    [...added.values()].filter(({ hash }) => findByHash(registry, hash) === null),
  );
  return { refs, bad: registry.bad };
}

/** The content of an artifact as its registry and its digest say; refused when it is anything else. */
export async function readArtifact(artifactsDir: string, id: string, hash: string | undefined): Promise<unknown> {
  const entry = findById(await readRegistry(artifactsDir), id);
  const expected = hash ?? entry?.hash;
  if (entry === null || expected === undefined || entry.hash !== expected)
    fail("not_found", `No artifact ${id} with this digest in the registry of ${artifactsDir}.`);
  const content = await readContent(artifactsDir, id, expected);
  if (content === undefined)
    fail("not_found", `The artifact ${id} is missing or changed. A backup of its folder may have it.`);
  return content;
}

/** The content when it is there and is what its hash says; else undefined. The id was checked by its schema: it is no path. */
async function readContent(artifactsDir: string, id: string, hash: string): Promise<unknown> {
  const read = await readRegular(join(artifactsDir, payloadName(id))).catch(() => null);
  if (read === null) return undefined;
  try {
    const payload = JSON.parse(read.bytes.toString("utf8")) as { type?: unknown; content?: unknown };
    return payload.type === "tool-result" && contentHash(payload.content) === hash ? payload.content : undefined;
  } catch {
    return undefined;
  }
}

/** The content goes in as it was written: numbers too large for JavaScript and deep nesting stay as they are. */
async function writePayload(
  artifactsDir: string,
  ref: OpenClawArtifactRef,
  { contentText }: InlineResult,
): Promise<void> {
  const { id, type, toolName, createdAt, sizeBytes, summary } = ref;
  const fields = JSON.stringify({ id, type, toolName, createdAt, sizeBytes, summary });
  await replaceFile(join(artifactsDir, payloadName(id)), `${fields.slice(0, -1)},"content":${contentText}}\n`);
}

const defined = (of: { readonly sessionKey: string | undefined; readonly sessionId: string | undefined }) => ({
  ...(of.sessionId === undefined ? {} : { sessionId: of.sessionId }),
  ...(of.sessionKey === undefined ? {} : { sessionKey: of.sessionKey }),
});
