import { Badge } from "../ui/badge.tsx";
import { SafeText } from "../ui/safe-text.tsx";
import { ansiSpans, hasAnsi, type AnsiColor, type AnsiSpan } from "./ansi.ts";

const COLORS: Record<AnsiColor, string> = {
  grey: "text-ink-3",
  amber: "text-diff-del-ink",
  green: "text-syn-str",
  gold: "text-syn-num",
  blue: "text-syn-fn",
  violet: "text-syn-key",
  cyan: "text-diff-add-ink",
  ink: "text-ink",
};

/** Terminal output in colour; what it would have hidden is shown, with a badge. */
export function AnsiText({ text }: { text: string }) {
  if (!hasAnsi(text)) return <SafeText text={text} badge />;
  const { spans, stripped } = ansiSpans(text);
  return (
    <>
      <AnsiSpans spans={spans} />
      {stripped > 0 && (
        <>
          {" "}
          <StrippedBadge stripped={stripped} />
        </>
      )}
    </>
  );
}

export function AnsiSpans({ spans }: { spans: readonly AnsiSpan[] }) {
  return spans.map((span, i) => (
    // oxlint-disable-next-line react/no-array-index-key -- the spans of one text never move
    <span key={i} className={classOf(span)}>
      <SafeText text={span.text} />
    </span>
  ));
}

export function StrippedBadge({ stripped }: { stripped: number }) {
  return (
    <Badge title={`${stripped} terminal commands that would have moved, cleared or hidden text were taken out`}>
      hidden text
    </Badge>
  );
}

function classOf(span: AnsiSpan): string | undefined {
  const classes = [
    span.color === null ? "" : COLORS[span.color],
    span.bold ? "font-semibold" : "",
    span.dim ? "text-ink-3" : "",
    span.italic ? "italic" : "",
    span.underline ? "underline" : "",
  ].filter(Boolean);
  return classes.length === 0 ? undefined : classes.join(" ");
}
