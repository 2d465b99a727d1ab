// A session whose file holds its requests, for tests of the floors above: two calls, and a request that was not answered.
import { jsonl, SESSION } from "#lib/formats/claude-code/testing-claude.ts";
import { digest, request, said, SESSION_RECORDS } from "#lib/formats/claude-code/testing-claude-requests.ts";
import type { Archive } from "../base/archive-type.ts";
import { importPaths } from "../import/import-paths.ts";
import { put } from "../testing-archive.ts";

const RECORDS = [...SESSION_RECORDS, request("req-3", "req-2", 4, [digest(said)], [])];

/** Imports it from a file in a folder, and gives its id. */
export async function importSent(archive: Archive, dir: string): Promise<string> {
  const records = RECORDS.map((record) => ({ ...record, sessionId: SESSION }));
  const { files } = await importPaths(archive, [put(dir, "session.jsonl", jsonl(...records))]);
  return files[0]!.sessions[0]!;
}
