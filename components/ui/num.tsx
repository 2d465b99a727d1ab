// A number with where it comes from. Reported stands plain, counted carries a bold dot that hangs
// outside a column of digits (`.num` in globals.css), estimated a tilde. Never a token number without it.
import type { Origin } from "#lib/wire/common-schema.ts";
import { formatTokens, tokenizerWords } from "./format.ts";

type NumProps = {
  value: number | null;
  origin: Origin;
  /** What is counted, for the words on hover: tokens, when not said. */
  unit?: string;
  short?: boolean;
  /** A sign before a growth: `+24,444·`. */
  signed?: boolean;
  /** Of an event: what a tokenizer alone counts of its text, for the words on hover. */
  textTokens?: number | null;
};

const METHOD: Record<Origin, string> = {
  reported: "reported by the provider",
  counted: "counted with a tokenizer of this model",
  estimated: "estimated, not counted",
};

/** How an event's weight is known: on the scale of the prompts that the provider reported. */
const WEIGHED: Record<Origin, string> = {
  reported: "reported by the provider",
  counted: "counted, and confirmed by the prompt's growth within 10\u2009%",
  estimated: "estimated on the scale of the reported prompts",
};

export function Num({ value, origin, unit = "tokens", short = false, signed = false, textTokens = null }: NumProps) {
  if (value === null) return <Absent />;
  const sign = value < 0 ? "−" : signed && value > 0 ? "+" : "";
  const size = Math.abs(value);
  const how = textTokens === null ? METHOD[origin] : WEIGHED[origin] + tokenizerWords(textTokens);
  return (
    <span title={`${sign}${formatTokens(size)} ${unit}, ${how}`} data-origin={origin}>
      {origin === "estimated" && <span className="font-normal text-ink-3">~</span>}
      {sign}
      {formatTokens(size, short)}
      {origin === "counted" && <span className="origin-dot font-bold text-ink-2">·</span>}
      {origin !== "reported" && <span className="sr-only"> {origin}</span>}
    </span>
  );
}

/** A value that is not there. Zero is 0. */
export function Absent({ why }: { why?: string }) {
  return (
    <span className="text-ink-3" title={why}>
      –
    </span>
  );
}
