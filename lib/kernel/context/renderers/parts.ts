// The rows' parts: what a model reads of a step, whatever shape the provider gives it.
import { jsonText } from "../../json-text.ts";
import type { Media } from "./media.ts";
import type { Call, Result } from "./message-steps.ts";
import type { RowPart } from "./renderer-types.ts";

/** What the user says where a log begins with an answer, and a provider wants the user to begin. */
export const LEAD_IN = "(What was said before is not part of this context.)";

export const textParts = (text: string): RowPart[] => (text === "" ? [] : [{ kind: "text", text }]);

export const mediaPart = (media: Media): RowPart => ({
  kind: media.kind,
  text: media.form === "unknown" ? media.url.slice(0, 200) : (media.mimeType ?? media.kind),
});

export const callPart = ({ name, arguments: given }: Call): RowPart => ({
  kind: "call",
  text: `${name} ${jsonText(given)}`,
});

export const resultPart = ({ output }: Result): RowPart => ({ kind: "result", text: output });

export const nativePart = (item: unknown): RowPart => ({ kind: "native", text: jsonText(item) });
