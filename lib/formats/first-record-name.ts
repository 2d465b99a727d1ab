// The name of a session that nothing names: what its first record says. A file that grows keeps it, and two that begin alike are told
// apart by the records behind.
import type { SourceFile } from "#lib/kernel/draft.ts";
import { jsonText } from "#lib/kernel/json-text.ts";
import { firstLine, headValue } from "./json-parts.ts";
import { printOf } from "./placed-drafts.ts";

export const firstRecordName = (head: Uint8Array): string => printOf(jsonText(headValue(firstLine(head)) ?? null));

const UUID = /([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?:[\\/]events)?\.jsonl/i;

/** The name of a file whose first line is gone: agents name the file, or its folder, after the session. */
export const cutFileName = ({ path, head }: Pick<SourceFile, "path" | "head">): string =>
  UUID.exec(path)?.[1]?.toLowerCase() ?? firstRecordName(head);
