// What a bundle says of itself: its last entry, by which all others are checked before anything of them is read in.
import { z } from "zod";
import { fail } from "#lib/kernel/errors.ts";
import { LIMITS } from "#lib/kernel/limits.ts";

/** 2: rows of files beside a session, of recipes and of continuations. */
export const BUNDLE_VERSION = 2;
export const MANIFEST = "manifest.json";

const digest = z.string().regex(/^[0-9a-f]{64}$/);
const whole = z.number().int().nonnegative();
const text = z.string().max(4096);
const entry = z.object({ name: z.string().max(200), sizeBytes: whole, sha256: digest });

/** A session file as it was read, or an earlier version of one. */
const bundledFile = z.object({
  entry,
  path: text.min(1),
  format: text,
  nativeId: text.nullable(),
  mtimeMs: z.number(),
  changedAt: z.number().nullable(),
  head: digest.nullable(),
  /** Number of the earlier version that it is, and which of the files it is a version of. */
  earlier: whole.nullable(),
  earlierOf: whole.nullable(),
  replacedAt: z.number().nullable(),
  isPart: z.boolean(),
  /** What the parser remembered at the end, as JSON: small files beside it are told by it. */
  state: z.string().nullable(),
  /** Outputs that the agent had put into files of its own. */
  outputs: z.array(
    z.object({
      toolCallId: text,
      digest,
      sizeBytes: whole,
      lineCount: whole.nullable(),
      contentType: text,
    }),
  ),
});

const bundledSession = z.object({
  id: z.string().regex(/^s_[0-9a-f]{16}$/),
  nativeId: text,
  title: z.string(),
  lane: text,
  /** Which of the files it is read from; null for one whose log is in its rows. */
  file: whole.nullable(),
  events: whole,
  /** Memory, plans and reads; of a session without a file its whole log. Null where there are none. */
  rows: entry.nullable(),
});

const masked = z.object({
  sentence: z.string(),
  /** How many values of each kind were masked, and in how many positions. */
  kinds: z.record(z.string(), whole),
  places: whole,
  /** What stands in place of each, and where; never the value, nor what tells it apart. */
  values: z.array(z.object({ mask: z.string(), kind: z.string(), times: whole, positions: z.array(z.string()) })),
  /** Outputs that are no text, in which nothing was looked for. */
  notSearched: z.object({ files: whole, sizeBytes: whole }),
});

const manifest = z.object({
  plimsollBundle: z.union([z.literal(1), z.literal(BUNDLE_VERSION)]),
  /** The session that was asked for; the others are its family. */
  session: z.string(),
  /** Null: the bytes are those that were read. Else what was masked: then they are not. */
  masked: masked.nullable(),
  files: z.array(bundledFile),
  sessions: z.array(bundledSession).min(1),
  artifacts: z.array(z.object({ entry, contentTypes: z.array(text) })),
});

export type Manifest = z.infer<typeof manifest>;
export type BundledFile = z.infer<typeof bundledFile>;
export type BundledSession = z.infer<typeof bundledSession>;
export type BundleEntry = z.infer<typeof entry>;

/** Reads a manifest; fails with what is wrong in it. */
export function parseManifest(json: string): Manifest {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (error) {
    return fail("invalid", `${MANIFEST} of the bundle is not JSON. Export the session again.`, error);
  }
  const version = (value as { plimsollBundle?: unknown } | null)?.plimsollBundle;
  if (typeof version === "number" && version > BUNDLE_VERSION)
    fail(
      "unsupported",
      `The bundle has version ${version}; this Plimsoll reads up to ${BUNDLE_VERSION}. Update Plimsoll, then import it.`,
    );
  const result = manifest.safeParse(value);
  if (!result.success) {
    const [issue] = result.error.issues;
    return fail("invalid", `${MANIFEST} of the bundle is wrong at "${issue!.path.join(".")}": ${issue!.message}.`);
  }
  requireWhole(result.data);
  return result.data;
}

export const entriesOf = ({ files, sessions, artifacts }: Manifest): BundleEntry[] => [
  ...files.map((file) => file.entry),
  ...sessions.flatMap(({ rows }) => (rows === null ? [] : [rows])),
  ...artifacts.map((artifact) => artifact.entry),
];

/** What it names is in it, and versions belong to the file that they say. */
function requireWhole({ files, sessions, artifacts, ...one }: Manifest): void {
  const wrong = (what: string): never => fail("invalid", `${MANIFEST} of the bundle is wrong: ${what}.`);
  if (!sessions.some(({ id }) => id === one.session)) wrong(`it does not list its session ${one.session}`);
  for (const { path, earlier, earlierOf, nativeId } of files) {
    if ((earlier === null) !== (earlierOf === null)) wrong(`${path} is half an earlier version`);
    const of = earlierOf === null ? null : files[earlierOf];
    if (of === undefined || (of !== null && (of.earlier !== null || of.nativeId !== nativeId)))
      wrong(`${path} is a version of a file that is not its own`);
  }
  for (const { id, file, rows } of sessions) {
    if (file !== null && files[file] === undefined) wrong(`the file of session ${id} is not in it`);
    if (file === null && rows === null) wrong(`session ${id} has neither a file nor rows`);
  }
  if (new Set(sessions.map(({ nativeId }) => nativeId)).size < sessions.length) wrong("it lists a session twice");
  for (const { entry: own } of artifacts)
    if (own.name !== artifactEntry(own.sha256)) wrong(`the entry ${own.name} does not have the name of its digest`);
  const known = new Set(artifacts.map(({ entry: own }) => own.sha256));
  for (const { path, outputs } of files)
    for (const output of outputs)
      if (!known.has(output.digest)) wrong(`an output of ${path} is not in it (${output.digest})`);
}

export const artifactEntry = (sha256: string): string => `artifacts/${sha256}`;
export const rowsEntry = (sessionId: string): string => `rows/${sessionId}.jsonl`;

/** A name that tells a person which file it was; the number makes it the only one. */
export function fileEntry(n: number, path: string): string {
  const base = path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1);
  return `files/${n + 1}-${base.replaceAll(/[^A-Za-z0-9._-]+/g, "_").slice(-100)}`;
}

/** Every name that an entry may have: no path of it leads anywhere else. */
export const isEntryName = (name: string): boolean =>
  name === MANIFEST ||
  /^files\/\d{1,6}-[A-Za-z0-9._-]{0,100}$/.test(name) ||
  /^rows\/s_[0-9a-f]{16}\.jsonl$/.test(name) ||
  /^artifacts\/[0-9a-f]{64}$/.test(name);

/** Fails for what no bundle may be, before it is written and before it is read. */
export function requireBounds(sizeBytes: number, entries: number): void {
  if (sizeBytes > LIMITS.bundleBytes)
    fail("too_large", `The bundle would unpack to ${sizeBytes} bytes, over the limit of ${LIMITS.bundleBytes}.`);
  if (entries > LIMITS.bundleEntries)
    fail("too_large", `The bundle has ${entries} entries, over the limit of ${LIMITS.bundleEntries}.`);
}
