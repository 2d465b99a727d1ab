// Session files of Copilot CLI: one event a line, `{type, data, id, timestamp, parentId}`, in a folder for each session. The chain of
// parents is the order of the lines, and no tree. docs/formats/copilot.md says what is read, and how.
import type { Draft, Format, SourceRecord } from "#lib/kernel/draft.ts";
import { asText, isObject, type Json } from "./json.ts";
import { draftsOfLine } from "./json-lines.ts";
import { copilotContinuation } from "./copilot/copilot-continuation.ts";
import { copilotDrafts } from "./copilot/copilot-events.ts";
import {
  isCopilot,
  isCopilotRun,
  isStart,
  startCopilot,
  workspacePath,
  type CopilotState,
} from "./copilot/copilot-state.ts";
import { homeFolder } from "./home-folder.ts";

export const copilot: Format<CopilotState> = {
  id: "copilot",
  label: "Copilot CLI",
  signs: "a first line of type session.start, or events with data, id and parentId",
  // 2: counts that stand as texts of digits. 3: answers that name no model.
  // 4: a record without content begins no turn. 5: tokens of a compaction in their older names.
  // 6: sums of a run alone, which a session that is resumed begins anew.
  // 7: the end and the pieces of runs that were printed.
  // 8: reasoning in the provider's own blocks.
  // 9: a run that was printed has the name of its session; what a truncation took out of the context.
  version: 9,
  reader: "lines",
  sources(env, os) {
    const separator = os === "win32" ? "\\" : "/";
    const home = homeFolder(env, os);
    const own = env["COPILOT_HOME"];
    const root = own !== undefined && own !== "" ? own : home ? [home, ".copilot"].join(separator) : null;
    return root === null ? [] : [`${root}${separator}session-state`];
  },
  // Before it gave each session a folder, its file had the session's id as its name.
  wants: (path) => /(?:^|[\\/])session-state[\\/](?:[^\\/]+[\\/]events|[^\\/]+)\.jsonl$/.test(path),
  detect: ({ head }) => isCopilot(head) && !isCopilotRun(head),
  sidecars: (path) => (/[\\/]events\.jsonl$/.test(path) ? [workspacePath(path)] : []),
  ownsSidecars: true,
  start: (file) => startCopilot(file),
  parse,
  identify: (state) => state.id,
  fullOutputPaths: (_path, storedPath) => [storedPath],
  fullOutputFolder: (storedPath) => /^(.*)[\\/]\d+-copilot-tool-output-[\w-]+\.txt$/.exec(storedPath)?.[1] ?? null,
  continuation: copilotContinuation,
};

/** A whole event, told from a piece of a broken one. */
const isEvent = (value: unknown): boolean => isStart(value) || (isObject(value) && hasEventFields(value));
const hasEventFields = (value: Json): boolean =>
  asText(value["type"]) !== null && isObject(value["data"]) && asText(value["timestamp"]) !== null;

function parse(record: SourceRecord, state: CopilotState): Draft[] {
  return draftsOfLine(record, isEvent, (value) => copilotDrafts(value, state));
}
