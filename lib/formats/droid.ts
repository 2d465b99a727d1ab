// Sessions of Factory's Droid: a first line with what is known of the session, then one record a line; the tokens of the whole session
// stand in a file beside it. docs/formats/droid.md says what is read, and how.
import type { Draft, Format, SourceRecord } from "#lib/kernel/draft.ts";
import { asText, isObject, type Json } from "./json.ts";
import { draftsOfLine } from "./json-lines.ts";
import { droidDrafts } from "./droid/droid-records.ts";
import { isDroid, isDroidStart, resumeDroid, settingsPath, startDroid, type DroidState } from "./droid/droid-state.ts";
import { homeFolder } from "./home-folder.ts";

export const droid: Format<DroidState> = {
  id: "droid",
  label: "Droid",
  signs: "a first line of type session_start with id, or messages with id and message",
  // 3: a record without content begins no turn. 4: a prompt behind a reminder in the same text.
  version: 4,
  reader: "lines",
  sources(env, os) {
    const separator = os === "win32" ? "\\" : "/";
    const home = homeFolder(env, os);
    return home ? ["sessions", "projects"].map((name) => [home, ".factory", name].join(separator)) : [];
  },
  wants: (path) => /[\\/]\.factory[\\/](?:sessions|projects)[\\/].*\.jsonl$/.test(path),
  detect: ({ head }) => isDroid(head),
  sidecars: (path) => (path.endsWith(".jsonl") ? [settingsPath(path)] : []),
  ownsSidecars: true,
  cleanup: "unknown",
  start: startDroid,
  resume: resumeDroid,
  parse,
  identify: ({ id }) => id,
};

const isRecord = (value: unknown): boolean => isDroidStart(value) || (isObject(value) && isNamed(value));
const isNamed = (value: Json): boolean =>
  asText(value["type"]) !== null && (isObject(value["message"]) || asText(value["timestamp"]) !== null);

function parse(source: SourceRecord, state: DroidState): Draft[] {
  return draftsOfLine(source, isRecord, (value) => droidDrafts(value, state));
}
