// A session whose file holds its requests, for tests of the floors above: two calls, and a request that was not answered.
import { jsonl, SESSION, type Rec } from "#lib/formats/claude-code/testing-claude.ts";
import {
  digest,
  OTHER_RECORDS,
  request,
  said,
  SESSION_RECORDS,
} from "#lib/formats/claude-code/testing-claude-requests.ts";
import type { Archive } from "../base/archive-type.ts";
import { importPaths } from "../import/import-paths.ts";
import { put } from "../testing-archive.ts";

const RECORDS = [...SESSION_RECORDS, request("req-3", "req-2", 4, [digest(said)], [])];

/** Imports it from a file in a folder, and gives its id. */
export const importSent = (archive: Archive, dir: string): Promise<string> => imported(archive, dir, RECORDS);

/** A session with two compactions, of which one has its own request in the file; or one whose file has no requests at all. */
export function importCompacted(archive: Archive, dir: string, hasRequests: boolean): Promise<string> {
  const talk = OTHER_RECORDS.filter((record) => !String(record["type"]).startsWith("api-request"));
  return imported(archive, dir, hasRequests ? OTHER_RECORDS : talk);
}

async function imported(archive: Archive, dir: string, list: readonly Rec[]): Promise<string> {
  const records = list.map((record) => ({ ...record, sessionId: SESSION }));
  const { files } = await importPaths(archive, [put(dir, "session.jsonl", jsonl(...records))]);
  return files[0]!.sessions[0]!;
}
