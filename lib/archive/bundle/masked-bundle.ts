// A bundle with private values masked: in the bytes of its files, in rows, in outputs, and in what the manifest says of them. Files
// stay JSON where they were; everything but the masked strings is as it was. Outputs get the digest of their masked bytes.
import { createHash } from "node:crypto";
import { scalar } from "#db/statement.ts";
import type { Archive } from "../base/archive-type.ts";
import type { MaskManifest } from "../base/masker.ts";
import { maskJsonText, maskText, maskValue } from "../base/mask-json.ts";
import type { TextHook } from "../base/private-findings.ts";
import { publicSessionId } from "../base/row-keys.ts";
import { artifactEntry, rowsEntry, type Manifest } from "./bundle-manifest.ts";
import type { BundledRow } from "./bundle-rows.ts";
import { isFileTable } from "./bundled-beside.ts";
import { changeLines } from "./change-lines.ts";
import type { BundlePart, BundlePlan } from "./write-bundle.ts";

/** A text output up to this size is looked through as a whole, a larger one by its lines (bytes). */
const WHOLE_BYTES = 16 * 1024 * 1024;
/** Lines of a file that is not JSON are looked through together, as far as this (bytes). */
const TOGETHER_BYTES = 1024 * 1024;

/** Shows each text of a bundle to a hook; how many bytes it went through, part by part. */
export async function* scanBundle(archive: Archive, plan: BundlePlan, hook: TextHook): AsyncGenerator<number> {
  for (const part of plan.parts) for await (const piece of maskedPart(archive, part, hook)) yield piece.length;
  maskedManifest(plan.manifest, hook, new Map());
}

/** Outputs that are no text: nothing is looked for in them. */
export function notSearchedIn(archive: Archive, { manifest }: BundlePlan): { files: number; sizeBytes: number } {
  const bare = manifest.artifacts.filter(({ entry }) => !isText(archive, entry.sha256));
  return { files: bare.length, sizeBytes: bare.reduce((sum, { entry }) => sum + entry.sizeBytes, 0) };
}

type Masking = { restart(): void; manifest(): MaskManifest };

type NewBytes = { readonly sha256: string; readonly sizeBytes: number };

export async function maskBundle(
  archive: Archive,
  plan: BundlePlan,
  hook: TextHook,
  masking: Masking,
): Promise<BundlePlan> {
  const renamed = new Map<string, NewBytes>();
  for (const part of plan.parts.filter(isArtifact)) {
    const hash = createHash("sha256");
    let sizeBytes = 0;
    for await (const piece of maskedPart(archive, part, hook)) {
      hash.update(piece);
      sizeBytes += piece.length;
    }
    const bytes = { sha256: hash.digest("hex"), sizeBytes };
    // Texts name an output by the beginning of its digest too.
    renamed.set(part.entry.sha256, bytes).set(part.entry.sha256.slice(0, 16), bytes);
  }
  const manifest = maskedManifest(plan.manifest, hook, renamed);
  const entries = new Map(
    [...plan.manifest.files.keys()].map((n) => [plan.manifest.files[n]!.entry.name, manifest.files[n]!.entry]),
  );
  for (const [n, { rows }] of plan.manifest.sessions.entries())
    if (rows !== null) entries.set(rows.name, manifest.sessions[n]!.rows!);
  const outputs = new Map(manifest.artifacts.map(({ entry }) => [entry.sha256, entry]));
  const taken = new Set<string>();
  const parts = plan.parts.flatMap((part): BundlePart[] => {
    const { sha256 } = part.entry;
    const entry = isArtifact(part) ? outputs.get(renamed.get(sha256)!.sha256)! : entries.get(part.entry.name)!;
    if (taken.has(entry.name)) return [];
    taken.add(entry.name);
    const read = (): AsyncIterable<Uint8Array> => maskedPart(archive, part, hook, isRows(part) ? renamed : undefined);
    return [{ entry, read }];
  });
  masking.restart();
  maskedManifest(plan.manifest, hook, renamed);
  const finish = (): void => {
    const { sentence, ...masked } = masking.manifest();
    const notSearched = notSearchedIn(archive, plan);
    Object.assign(manifest, {
      masked: { sentence: `${sentence} Its bytes differ from those that the agent wrote.`, ...masked, notSearched },
    });
  };
  return { ...plan, manifest, parts, finish };
}

const isArtifact = ({ entry }: BundlePart): boolean => entry.name.startsWith("artifacts/");
const isRows = ({ entry }: BundlePart): boolean => entry.name.startsWith("rows/");

/** What it says of files and sessions, masked, with the digests of the masked outputs. */
function maskedManifest(manifest: Manifest, hook: TextHook, renamed: ReadonlyMap<string, NewBytes>): Manifest {
  const where = "manifest.json";
  const masked = (text: string): string => maskText(text, hook, where);
  const nativeId = (name: string): string => hook(name, where);
  const files = manifest.files.map((file) => ({
    ...file,
    entry: { name: masked(file.entry.name).replaceAll(/[^A-Za-z0-9._/-]+/g, "_"), sizeBytes: 0, sha256: "" },
    path: masked(file.path),
    nativeId: file.nativeId === null ? null : nativeId(file.nativeId),
    // Of the bytes as they were.
    head: null,
    state: file.state === null ? null : masked(file.state),
    outputs: file.outputs.map((output) => {
      const { sha256 = output.digest, sizeBytes = output.sizeBytes } = renamed.get(output.digest) ?? {};
      return { ...output, digest: sha256, sizeBytes };
    }),
  }));
  const sessions = manifest.sessions.map((session) => {
    const name = nativeId(session.nativeId);
    const id = name === session.nativeId ? session.id : publicSessionId(name);
    const rows = session.rows === null ? null : { name: rowsEntry(id), sizeBytes: 0, sha256: "" };
    return { ...session, id, nativeId: name, title: masked(session.title), rows };
  });
  const artifacts = new Map<string, Manifest["artifacts"][number]>();
  for (const { entry, contentTypes } of manifest.artifacts) {
    const { sha256, sizeBytes } = renamed.get(entry.sha256) ?? entry;
    artifacts.set(sha256, { entry: { name: artifactEntry(sha256), sizeBytes, sha256 }, contentTypes });
  }
  const own = manifest.sessions.findIndex(({ id }) => id === manifest.session);
  return { ...manifest, session: sessions[own]!.id, files, sessions, artifacts: [...artifacts.values()] };
}

async function* maskedPart(
  archive: Archive,
  part: BundlePart,
  hook: TextHook,
  renamed?: ReadonlyMap<string, NewBytes>,
): AsyncGenerator<Uint8Array> {
  const { name, sha256 } = part.entry;
  if (isArtifact(part)) {
    if (!isText(archive, sha256)) yield* part.read();
    else if (part.entry.sizeBytes > WHOLE_BYTES)
      yield* changeLines(part.read(), (text, line) => hook(text, `${name}, line ${line}`), {
        together: TOGETHER_BYTES,
      });
    else yield await maskedWhole(part, (text) => maskText(text, hook, name));
  } else if (isRows(part))
    yield* changeLines(part.read(), (text, line) => maskedRow(text, hook, `${name}, line ${line}`, renamed));
  else
    yield* changeLines(
      part.read(),
      (text, line, isJson) => {
        const where = `${name}, line ${line}`;
        return isJson ? maskJsonText(text, hook, where) : hook(text, where);
      },
      { together: TOGETHER_BYTES },
    );
}

async function maskedWhole(part: BundlePart, mask: (text: string) => string): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  for await (const piece of part.read()) pieces.push(piece);
  const bytes = Buffer.concat(pieces);
  const text = bytes.toString("utf8");
  const masked = mask(text);
  return masked === text ? bytes : Buffer.from(masked);
}

const DIGESTS = /\b[0-9a-f]{64}\b|\bart_[0-9a-f]{16}\b/g;

function maskedRow(
  line: string,
  hook: TextHook,
  where: string,
  renamed: ReadonlyMap<string, NewBytes> = new Map(),
): string {
  const given = JSON.parse(line) as BundledRow;
  // Bytes of files, digests of records: nothing can be masked in them.
  if (isFileTable(given.table) && given.table !== "continuations") return "";
  const row = maskValue(given.row, hook, where);
  const bytes = given.table === "artifacts" ? renamed.get(String(given.row["digest"])) : undefined;
  const sized = bytes === undefined ? row : { ...row, size: bytes.sizeBytes };
  if (sized === given.row && renamed.size === 0) return line;
  return `${JSON.stringify({ ...given, row: sized })}\n`.replaceAll(DIGESTS, (found) => {
    const isShort = found.startsWith("art_");
    const bytes = renamed.get(isShort ? found.slice(4) : found);
    return bytes === undefined ? found : isShort ? `art_${bytes.sha256.slice(0, 16)}` : bytes.sha256;
  });
}

const isText = (archive: Archive, digest: string): boolean =>
  scalar(archive.sqlite, "blobs.line_count", "FROM blobs WHERE digest = ?").get(digest) != null;
