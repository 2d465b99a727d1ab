// What a hook of an agent says of an output that it took out of the context: one line of JSON, and behind it the bytes. It waits as
// a file in the archive's folder until the process that writes takes it in.
import { z } from "zod";
import { offloadPolicy } from "#lib/kernel/artifacts/offload-presets.ts";

/** A word of the agent's: shown as text, never part of a path. */
const word = z.string().min(1).max(400);

export const spooledOutput = z.strictObject({
  version: z.literal(1),
  /** Which agent, by the name that Plimsoll gives it. */
  agent: word,
  /** The agent's own id of its session. */
  session: word,
  tool: word,
  call: word.nullable(),
  /** What the call asked. */
  input: z.unknown(),
  isError: z.boolean(),
  /** The model sees an envelope; else the text as it is, because the agent lets nobody replace it. */
  isReplaced: z.boolean(),
  /** By what it was decided, and what the model was given. */
  policy: offloadPolicy,
  pointer: z.string().regex(/^art:[0-9a-f-]{36}$/),
});
export type SpooledOutput = z.infer<typeof spooledOutput>;
