// Whose file it is: OpenClaw writes pi's entries. Its files are known by where they lie, by the folder that their agent works in,
// or by a mark of its own among the first lines.
import type { SourceFile } from "#lib/kernel/draft.ts";
import { asObject, asText, type Json } from "../json.ts";
import { firstRecords } from "../first-records.ts";
import { textsOf } from "./pi-state.ts";

/** Its state folder, of a profile too, and under the names that it had before. */
const HOME = /(?:^|[\\/])\.(?:openclaw|clawdbot|moltbot)(?:-[^\\/]+)?(?:[\\/]|$)/;
const SESSIONS = /[\\/]agents[\\/][^\\/]+[\\/]sessions[\\/][^\\/]+$/;
const MARKS = /⟦openclaw:|\(untrusted metadata\):|<<<BEGIN_OPENCLAW_/;

export function isOpenClaw({ path, head }: SourceFile): boolean {
  return HOME.test(path) || SESSIONS.test(path) || firstRecords(head).some(isMarked);
}

function isMarked(record: Json): boolean {
  if (record["type"] === "session") return HOME.test(asText(record["cwd"]) ?? "");
  const customType = asText(record["customType"]) ?? "";
  if (customType === "model-snapshot" || customType.startsWith("openclaw")) return true;
  const message = asObject(record["message"]);
  if (message["provider"] === "openclaw" || "__openclaw" in record || "__openclaw" in message) return true;
  return message["role"] === "user" && textsOf(message["content"]).some((text) => MARKS.test(text));
}
