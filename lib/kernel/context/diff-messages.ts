// What came and what left between two contexts, message by message. A message that grew, or whose result was blanked, is
// told by the events that both of its forms are made of.
import { jsonText } from "../json-text.ts";
import type { Message } from "./message.ts";

export type MessageChange = { readonly before: Message; readonly after: Message };

export type MessageDiff = {
  /** In the order of the later context … */
  readonly came: readonly Message[];
  /** … and of the earlier one. */
  readonly left: readonly Message[];
  readonly changed: readonly MessageChange[];
  readonly kept: number;
};

export function diffMessages(before: readonly Message[], after: readonly Message[]): MessageDiff {
  const waiting = new Map<string, Message[]>();
  for (const message of before) {
    const key = keyOf(message);
    const same = waiting.get(key);
    if (same === undefined) waiting.set(key, [message]);
    else same.push(message);
  }
  const came = after.filter((message) => waiting.get(keyOf(message))?.shift() === undefined);
  const unmatched = new Set([...waiting.values()].flat());
  const left = before.filter((message) => unmatched.has(message));
  const changed = changes(left, came);
  const pairedBefore = new Set(changed.map((one) => one.before));
  const pairedAfter = new Set(changed.map((one) => one.after));
  return {
    came: came.filter((message) => !pairedAfter.has(message)),
    left: left.filter((message) => !pairedBefore.has(message)),
    changed,
    kept: after.length - came.length,
  };
}

/** Where a message stands does not matter, nor does the order of its keys. */
const keyOf = ({ role, content, reasoningContent, imageUrls, audioUrls, videoUrls, toolPayload, seqs }: Message) =>
  jsonText([
    role,
    content,
    reasoningContent ?? "",
    imageUrls ?? [],
    audioUrls ?? [],
    videoUrls ?? [],
    toolPayload,
    seqs ?? [],
  ]);

function changes(left: readonly Message[], came: readonly Message[]): MessageChange[] {
  const bySeq = new Map<number, Message>();
  for (const message of left) for (const seq of message.seqs ?? []) bySeq.set(seq, message);
  const taken = new Set<Message>();
  return came.flatMap((after) => {
    const before = (after.seqs ?? []).map((seq) => bySeq.get(seq)).find((one) => one !== undefined && !taken.has(one));
    if (before === undefined || before.role !== after.role) return [];
    taken.add(before);
    return [{ before, after }];
  });
}
