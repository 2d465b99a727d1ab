// The name of a session that nothing names: what its first record says. A file that grows keeps it, and two that begin alike are told
// apart by the records behind.
import { jsonText } from "#lib/kernel/json-text.ts";
import { firstLine, headValue } from "./json-parts.ts";
import { printOf } from "./placed-drafts.ts";

export const firstRecordName = (head: Uint8Array): string => printOf(jsonText(headValue(firstLine(head)) ?? null));
