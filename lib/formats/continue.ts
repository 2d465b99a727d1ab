// Sessions of Continue, in editors and on the command line: one JSON document each, written anew as it grows. The messages are those of
// its own core; beside each stands what was sent and came back with it. docs/formats/continue.md says what is read, and how.
import type { Draft, Format, SourceFile, SourceRecord } from "#lib/kernel/draft.ts";
import { besideItem, sessionTotals } from "./continue/continue-items.ts";
import { homeFolder } from "./home-folder.ts";
import { asArray, asObject, asTime, isObject } from "./json.ts";
import { headValue, objectMembers, parseJson, valueAt } from "./json-parts.ts";
import { messagesPieces, startMessages, type MessagesState } from "./messages/messages-document.ts";
import { joined, patchOf } from "./placed-drafts.ts";

/** When it began: its list says so. */
type ContinueState = MessagesState & { readonly startedAt: number | null };

export const continueFormat: Format<ContinueState> = {
  id: "continue",
  label: "Continue",
  signs: "a sessionId with a history of messages",
  version: 1,
  reader: "lines",
  isDocument: ({ head }) => isSession(head),
  sources(env, os) {
    const separator = os === "win32" ? "\\" : "/";
    const home = homeFolder(env, os);
    const root = env["CONTINUE_GLOBAL_DIR"] || (home ? [home, ".continue"].join(separator) : null);
    return root === null ? [] : [[root, "sessions"].join(separator)];
  },
  // The list of them is no session.
  wants: (path) => /[\\/]sessions[\\/][\da-f-]{36}\.json$/.test(path),
  detect: ({ head }) => isSession(head),
  sidecars: (path) => [listBeside(path)],
  start: (file) => ({ ...startMessages(file), startedAt: startOf(file) }),
  parse: (record, state) => joined(pieces(record, state)),
  pieces,
  identify: ({ id }) => id,
  isNamed: ({ id }) => id !== null,
};

function isSession(head: Uint8Array): boolean {
  const value = headValue(head);
  if (!isObject(value) || typeof value["sessionId"] !== "string") return false;
  const history = asArray(value["history"]);
  return history.length > 0 && history.every((item) => isObject(asObject(item)["message"]));
}

const listBeside = (path: string): string => path.replace(/[^\\/]*$/, "sessions.json");

/** The list is written anew with each session: a name in it that is not of this one is none of ours. */
function startOf({ path, head, sidecars }: SourceFile): number | null {
  const id = asObject(headValue(head))["sessionId"];
  const listed = asArray(parseJson(sidecars.get(listBeside(path)) ?? "[]")).find(
    (one) => asObject(one)["sessionId"] === id,
  );
  return asTime(asObject(listed)["dateCreated"]);
}

/** What of the document is not in its history. */
const ABOUT = ["chatModelTitle", "usage"];

function* pieces(record: SourceRecord, state: ContinueState): Generator<readonly Draft[]> {
  if (record.oversized === true) return;
  const { bytes, byteStart: base } = record;
  const about: Record<string, unknown> = {};
  for (const { key, from, to } of objectMembers(bytes))
    if (ABOUT.includes(key)) about[key] = valueAt(bytes, { from, to });
  if (state.startedAt !== null) yield [patchOf("", { startedAt: state.startedAt })];
  const models = { model: typeof about["chatModelTitle"] === "string" ? about["chatModelTitle"] : null };
  for (const drafts of messagesPieces(record, state)) {
    const at = drafts.find((draft) => draft.kind === "event" && draft.byteStart !== undefined);
    if (at?.kind !== "event") yield drafts;
    else {
      const item = asObject(valueAt(bytes, { from: at.byteStart! - base, to: at.byteEnd! - base }));
      yield besideItem(drafts, item, at, models);
    }
  }
  yield sessionTotals(asObject(about["usage"]), models.model);
}
