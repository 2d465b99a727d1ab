// Logs by hand, and logs of any kind: calls without results, results of any call, blocks of a call that came apart,
// compactions of both kinds anywhere, with and without what they keep, and rewinds to anywhere.
import fc from "fast-check";
import { eventBody, type EventBody } from "../event.ts";
import type { ContextEvent } from "./from-events.ts";

export type LogEntry = { readonly call?: number; readonly key?: string; readonly synthetic?: boolean };

/** Events of a log, numbered from 1. */
export function logOf(...bodies: readonly (EventBody | readonly [EventBody, LogEntry])[]): ContextEvent[] {
  return bodies.map((one, i): ContextEvent => {
    const [body, { call = null, key = `r${i + 1}`, synthetic = false }] = Array.isArray(one) ? one : [one, {}];
    return { seq: i + 1, call, recordKey: key, synthetic, body };
  });
}

export const user = (text: string, injected?: string): EventBody => ({
  type: "user",
  text,
  ...(injected !== undefined && { injected }),
});
export const assistant = (text: string): EventBody => ({ type: "assistant", text });
export const reasoning = (text: string): EventBody => ({ type: "reasoning", text });
export const called = (toolCallId: string | null, toolName = "run", input: unknown = {}): EventBody => ({
  type: "tool_call",
  toolCallId,
  toolName,
  input,
});
export const came = (toolCallId: string | null, text = "ok", isError = false): EventBody => ({
  type: "tool_result",
  toolCallId,
  text,
  isError,
  saw: "full",
});
export const compacted = (text: string, preserved?: string[]): EventBody => ({
  type: "compaction",
  kind: "full",
  trigger: null,
  tokensBefore: null,
  tokensAfter: null,
  text,
  ...(preserved !== undefined && { preserved }),
});
export const blanked = (...cleared: string[]): EventBody => ({
  type: "compaction",
  kind: "micro",
  trigger: null,
  tokensBefore: null,
  tokensAfter: null,
  text: "",
  cleared,
});

const id = fc.option(fc.constantFrom("1", "2", "3", "a/b"), { nil: null });
const text = fc.oneof(fc.constantFrom("", "a", "\udc00", " "), fc.string({ maxLength: 8 }));
const image = fc.record({ mediaType: fc.constant("image/png"), attachment: fc.constant(0) });
const images = fc.option(fc.array(image, { maxLength: 1 }), { nil: undefined });
const body: fc.Arbitrary<EventBody> = fc
  .oneof(
    fc.record({
      type: fc.constant("user"),
      text,
      images,
      injected: fc.constantFrom(undefined, "summary", "command"),
    }),
    fc.record({ type: fc.constant("assistant"), text, images }),
    fc.record({ type: fc.constant("reasoning"), text }),
    fc.record({
      type: fc.constant("tool_call"),
      toolCallId: id,
      toolName: fc.constantFrom("run", "server.tool", ""),
      namespace: fc.constantFrom(undefined, "server"),
      custom: fc.constantFrom(undefined, true),
      input: fc.oneof(fc.constantFrom(null, "patch", [1]), fc.jsonValue({ maxDepth: 2 })),
      hosted: fc.constantFrom(undefined, true),
    }),
    fc.record({
      type: fc.constant("tool_result"),
      toolCallId: id,
      text,
      images,
      isError: fc.boolean(),
      blocks: fc.option(fc.array(fc.nat({ max: 4 }), { maxLength: 3 }), { nil: undefined }),
    }),
    fc.record({ type: fc.constant("system"), subtype: fc.constant("base"), text }),
    fc.record({
      type: fc.constant("meta"),
      subtype: fc.constant("note"),
      text,
      sent: fc.constantFrom(undefined, "user"),
    }),
    fc.record({ type: fc.constant("error"), text }),
    fc.record({
      type: fc.constant("rewind"),
      text: fc.constant(""),
      after: fc.option(
        fc.nat({ max: 20 }).map((n) => `r${n}`),
        { nil: null },
      ),
    }),
    fc.record({
      type: fc.constant("compaction"),
      kind: fc.constantFrom("full", "micro"),
      trigger: fc.constant(null),
      tokensBefore: fc.constant(null),
      tokensAfter: fc.constant(null),
      text,
      preserved: fc.array(
        fc.nat({ max: 20 }).map((n) => `r${n}`),
        { maxLength: 4 },
      ),
      cleared: fc.array(fc.constantFrom("1", "2"), { maxLength: 2 }),
      blocks: fc.option(fc.array(fc.nat({ max: 4 }), { maxLength: 3 }), { nil: undefined }),
      clearedRecords: fc.array(
        fc.nat({ max: 20 }).map((n) => `r${n}`),
        { maxLength: 2 },
      ),
    }),
  )
  .map((one) => eventBody.parse(one));

export const anyLog: fc.Arbitrary<ContextEvent[]> = fc
  .array(
    fc.tuple(body, fc.record({ call: fc.option(fc.nat({ max: 4 }), { nil: undefined }), synthetic: fc.boolean() })),
    { maxLength: 20 },
  )
  .map((all) =>
    logOf(
      ...all.map(([one, { call, synthetic }]) => [one, { ...(call !== undefined && { call }), synthetic }] as const),
    ),
  );
