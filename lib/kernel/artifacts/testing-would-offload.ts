// What a policy would have done, counted the plain way: what pages say of presets is compared with it.
import { estimateTokens } from "../host.ts";
import { ENVELOPE_TOKENS } from "./envelope.ts";
import { decideOffload, type ToolOutput } from "./offload.ts";
import type { OffloadPolicy } from "./offload-presets.ts";
import { READ_TOOLS } from "./tool-names.ts";

export type WouldOffload = {
  /** Outputs that were looked at, and their bytes. */
  readonly outputs: number;
  readonly bytes: number;
  /** Of these, the ones that the policy would have stored, and their bytes. */
  readonly offloaded: number;
  readonly offloadedBytes: number;
  /** Estimated tokens that the context would have been spared each time it held them. */
  readonly tokensSaved: number;
};

/** What a policy would have done to the outputs of a session whose agent had the tools to read artifacts back. */
export function wouldOffload(
  outputs: Iterable<ToolOutput & { readonly tokens?: number | null; readonly usedInputTokens?: number | null }>,
  policy: OffloadPolicy,
  windowTokens: number | null = null,
): WouldOffload {
  const sized = windowTokens === null ? policy : { ...policy, context_window_tokens: windowTokens };
  const sum = { outputs: 0, bytes: 0, offloaded: 0, offloadedBytes: 0, tokensSaved: 0 };
  for (const output of outputs) {
    sum.outputs++;
    sum.bytes += output.sizeBytes;
    const { action } = decideOffload(output, {
      policy: sized,
      availableTools: READ_TOOLS,
      usedInputTokens: output.usedInputTokens ?? null,
      writesClosed: false,
    });
    if (action !== "artifact" && action !== "truncate") continue;
    sum.offloaded++;
    sum.offloadedBytes += output.sizeBytes;
    const stays = action === "artifact" ? ENVELOPE_TOKENS.lean : estimateTokens(sized.truncate.max_bytes);
    sum.tokensSaved += Math.max(0, (output.tokens ?? estimateTokens(output.sizeBytes)) - stays);
  }
  return sum;
}
