// Records that Claude Code writes to a file again, with their ids and times: what follows a compaction, when its session is resumed, and
// what stands before one, when a process compacts again. Such a run begins with a record where a history begins, or with a prompt.
import { asArray, asObject, asText, asTime, type Json } from "../json.ts";
import { shortOf, type ClaudeState } from "./claude-state.ts";

const FIRST = 4;
const ANCHORS = 56;

/** True for a record that was read long ago. */
export function isReplayed(value: Json, state: ClaudeState): boolean {
  const [uuid, ts] = [asText(value["uuid"]), asTime(value["timestamp"])];
  if (uuid === null || ts === null) return false;
  const { replays } = state;
  const short = shortOf(uuid);
  if (replays.until === null && ts <= replays.newest && replays.anchors.includes(short)) replays.until = replays.newest;
  const isCompaction = value["subtype"] === "compact_boundary";
  const isStart = isCompaction || isSaid(value);
  // A prompt that was not read yet is no copy, whatever clocks say.
  const isNew = isStart && !replays.isCut && !replays.anchors.includes(short);
  if (replays.until !== null && ts <= replays.until && !isNew) return true;
  replays.until = null;
  replays.newest = Math.max(replays.newest, ts);
  if (replays.anchors.length < FIRST || isStart || replays.isAfterCompaction) {
    replays.anchors.push(short);
    if (replays.anchors.length > ANCHORS) {
      replays.anchors.splice(FIRST, 1);
      replays.isCut = true;
    }
  }
  replays.isAfterCompaction = isCompaction;
  return false;
}

function isSaid(value: Json): boolean {
  if (value["type"] !== "user" || value["isSidechain"] === true) return false;
  return !asArray(asObject(value["message"])["content"]).some((block) => asObject(block)["type"] === "tool_result");
}
