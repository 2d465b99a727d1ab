import { Wrench } from "lucide-react";
import { SafeText } from "../../ui/safe-text.tsx";
import { Images } from "../images.tsx";
import { Output } from "../capped-text.tsx";
import type { ToolBodyProps, ToolView } from "./tool-view.ts";

/** Input that stands in an open row. */
const MOST_CHARS = 16_384;

export const generic: ToolView = {
  icon: Wrench,
  Body: Generic,
};

function Generic({ call, result, open, toggle }: ToolBodyProps) {
  const input = typeof call.body.input === "string" ? call.body.input : JSON.stringify(call.body.input ?? {}, null, 2);
  return (
    <>
      {open && (
        <>
          <pre className="output mt-1 whitespace-pre-wrap text-ink">
            <SafeText text={input.slice(0, MOST_CHARS)} badge />
          </pre>
          {input.length > MOST_CHARS && (
            <p className="text-12 text-ink-3">
              First {MOST_CHARS} of {input.length} characters of its input shown; all of it is in the raw record.
            </p>
          )}
        </>
      )}
      {result ? (
        <Output event={result} lines={4} open={open} toggle={toggle} />
      ) : (
        <button type="button" className="link text-12" aria-expanded={open} onClick={toggle}>
          {open ? "Hide its input" : "Show its input"}
        </button>
      )}
      <Images images={result?.body.images} />
    </>
  );
}
