import { Fragment } from "react";
import { Badge } from "./badge.tsx";
import { runsRightToLeft, splitHidden, splitHits } from "#lib/kernel/hidden-text.ts";

type SafeTextProps = {
  text: string;
  /** Says *hidden text* after it, when there is any. */
  badge?: boolean;
};

/** Text of unknown origin: what would not show is named, and it cannot turn the line around it. */
export function SafeText({ text, badge = false }: SafeTextProps) {
  const parts = splitHidden(text);
  return (
    <>
      <bdi dir={directionOf(text)}>
        {parts.length === 1 && parts[0]?.hidden === false ? text : <Named parts={parts} />}
      </bdi>
      {badge && parts.some(({ hidden }) => hidden) && (
        <>
          {" "}
          <Badge title="Invisible characters in this text are shown by name">hidden text</Badge>
        </>
      )}
    </>
  );
}

/** Said where it is not the page's own: styles look for it. */
const directionOf = (text: string): "rtl" | undefined => (runsRightToLeft(text) ? "rtl" : undefined);

function Named({ parts }: { parts: ReturnType<typeof splitHidden> }) {
  return parts.map((part, index) =>
    part.hidden ? (
      // eslint-disable-next-line react/no-array-index-key -- the parts of one text never move
      <span key={index} className="hidden-char" title="A character that would not show">
        {part.text}
      </span>
    ) : (
      // eslint-disable-next-line react/no-array-index-key -- as above
      <Fragment key={index}>{part.text}</Fragment>
    ),
  );
}

/** A search snippet with its hits marked; it runs as one text, whatever is marked in it. */
export function Hits({ text }: { text: string }) {
  return (
    <bdi dir={directionOf(text)}>
      {splitHits(text).map((part, index) => {
        const named = <Named parts={splitHidden(part.text)} />;
        // eslint-disable-next-line react/no-array-index-key -- as above
        return part.hit ? <mark key={index}>{named}</mark> : <Fragment key={index}>{named}</Fragment>;
      })}
    </bdi>
  );
}
