// OpenHands: trajectories and benchmark outputs of its first generation (actions and observations), events of its second (the SDK's).
// docs/formats/openhands.md says what is read, and how.
import type { Draft, Format, SourceRecord } from "#lib/kernel/draft.ts";
import { splitPieces } from "./json-lines.ts";
import { asObject, isObject } from "./json.ts";
import { hasWholeLine, headValue } from "./json-parts.ts";
import {
  isEventStream,
  isOpenHands,
  openHandsPieces,
  startOpenHands,
  type OpenHandsState,
} from "./openhands/openhands-document.ts";
import { joined } from "./placed-drafts.ts";

export const openHands: Format<OpenHandsState> = {
  id: "openhands",
  label: "OpenHands",
  signs: "events with source and action, observation or kind",
  // 4: lines behind a blank first line, and behind one of more than 64 KB; sums in one order, whatever that of their keys.
  // 5: a file that begins in the middle of a run has its own calls alone; costs that stand as texts.
  // 6: a record without content begins no turn; what the agent did shows that a file begins in the middle,
  // and an event that was cut off is no session, nor is a line without events.
  // 7: the session's model is the agent's own, not that of its condenser; a file of one event is part of its folder, and no session.
  // 8: sums of a trajectory are the agent's totals; what a condensation used is a call.
  // 9: events of the SDK are a tree.
  version: 9,
  reader: "lines",
  // An output of a benchmark is an instance a line, and a line may be longer than the head.
  isDocument: ({ head }) => {
    const value = headValue(head);
    const isLine = isObject(value) && "instance_id" in asObject(value) && head.indexOf(0x0a) < 0;
    return !hasWholeLine(head) && !isLine;
  },
  sources: () => [],
  wants: () => false,
  detect: ({ head }) => isOpenHands(headValue(head)) || isEventStream(head),
  start: startOpenHands,
  parse: (record, state) => joined(pieces(record, state)),
  pieces,
  identify: ({ id }) => id,
  isNamed: ({ id }) => id !== null,
};

function pieces(record: SourceRecord, state: OpenHandsState): Iterable<readonly Draft[]> {
  return splitPieces(record, (one) => openHandsPieces(one, state));
}
