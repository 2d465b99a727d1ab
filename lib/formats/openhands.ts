// OpenHands: trajectories and benchmark outputs of its first generation (actions and observations), events of its second (the SDK's).
// docs/formats/openhands.md says what is read, and how.
import type { Format } from "#lib/kernel/draft.ts";
import { splitLine } from "./json-lines.ts";
import { asObject, isObject } from "./json.ts";
import { hasWholeLine, headValue } from "./json-parts.ts";
import { isOpenHands, openHandsDrafts, startOpenHands, type OpenHandsState } from "./openhands/openhands-document.ts";

export const openHands: Format<OpenHandsState> = {
  id: "openhands",
  label: "OpenHands",
  signs: "events with source and action, observation or kind",
  version: 2,
  reader: "lines",
  // An output of a benchmark is an instance a line, and a line may be longer than the head.
  isDocument: ({ head }) => {
    const value = headValue(head);
    const isLine = isObject(value) && "instance_id" in asObject(value) && head.indexOf(0x0a) < 0;
    return !hasWholeLine(head) && !isLine;
  },
  sources: () => [],
  wants: () => false,
  detect: ({ head }) => isOpenHands(headValue(head)),
  start: startOpenHands,
  parse: (record, state) => splitLine(record, (one) => openHandsDrafts(one, state)),
  identify: ({ id }) => id,
  isNamed: ({ id }) => id !== null,
};
