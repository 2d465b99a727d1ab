// The envelope of bytes that were looked through, as a policy wants it: the same whether the archive makes it or an agent's hook.
import { envelopeOf, type EnvelopeFacts } from "./envelope.ts";
import type { EnvelopeStyle, OffloadPolicy } from "./offload-presets.ts";
import { previewOf, summaryOf } from "./preview.ts";
import { redactText } from "./redact.ts";
import type { ContentFacts } from "./scan.ts";

type Named = Omit<EnvelopeFacts, "sizeBytes" | "lineCount" | "shape" | "preview" | "summary" | "tail" | "path">;

/** Secrets are masked in all that it shows. */
export function contentEnvelope(facts: ContentFacts, named: Named, policy: OffloadPolicy): string {
  const { sizeBytes, lineCount, shape } = facts;
  const shown = {
    preview: contentPreview(facts, policy),
    summary: summaryOf(redactText(facts.head).text),
    tail: redactText(facts.tail).text,
  };
  const style = styleFor(policy, named.toolName ?? "");
  return envelopeOf({ ...named, ...shown, sizeBytes, lineCount, shape, path: null }, style);
}

/** The beginning of a text; empty for bytes that are none. */
export const contentPreview = (
  { isText, head, chars }: ContentFacts,
  { preview_chars: shown }: OffloadPolicy,
): string => (isText ? previewOf(redactText(head).text, shown, chars ?? undefined) : "");

/** The form in which an output of a tool is named in the context. */
export const styleFor = (policy: OffloadPolicy, toolName: string): EnvelopeStyle =>
  policy.exclude_from_context.includes(toolName) ? "note" : policy.envelope_style;
