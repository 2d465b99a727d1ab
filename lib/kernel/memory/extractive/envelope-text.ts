// What an envelope shows of its output. Its keys and its advice are ours: quoted as evidence they would tell of nothing.
import { isEnvelope } from "../../artifacts/envelope.ts";

const SHOWN = ["preview", "tail"] as const;

/** The text itself, or of an envelope the part of the output that it shows. */
export function textBehind(text: string): string {
  if (!isEnvelope(text)) return text;
  try {
    const fields = JSON.parse(text) as Readonly<Record<string, unknown>>;
    const shown = SHOWN.map((key) => fields[key]).filter((part) => typeof part === "string" && part !== "");
    return (shown.length > 0 ? shown : [fields["summary"]].filter((part) => typeof part === "string")).join("\n");
  } catch {
    return /^summary: (.*)$/m.exec(text)?.[1] ?? "";
  }
}
