import { FilePlus2 } from "lucide-react";
import { SafeText } from "../../ui/safe-text.tsx";
import { Output } from "../capped-text.tsx";
import { field } from "../view.ts";
import type { ToolBodyProps, ToolView } from "./tool-view.ts";
import { CapLine } from "../event-parts.tsx";

const LINES = 4;
/** Written text that stands open in a row; the rest is in the raw record. */
const MOST_LINES = 2000;

export const write: ToolView = {
  icon: FilePlus2,
  Body: Write,
};

function Write({ call, result, open, toggle }: ToolBodyProps) {
  const lines = field(call.body.input, "content", "file_text", "contents").split("\n");
  const shown = lines.slice(0, open ? MOST_LINES : LINES);
  return (
    <>
      <div className="diff">
        {shown.map((line, i) => (
          // oxlint-disable-next-line react/no-array-index-key -- the lines of one file never move
          <div key={i} className="add">
            <span />
            <span>{i + 1}</span>
            <span className="sign">+</span>
            <code>
              <SafeText text={line} />
            </code>
          </div>
        ))}
      </div>
      {lines.length > LINES && (
        <CapLine
          says={`${shown.length === lines.length ? `All ${lines.length}` : `First ${shown.length} of ${lines.length}`} lines shown.`}
          open={open}
          toggle={toggle}
        />
      )}
      {result && (open || result.body.isError) && <Output event={result} lines={4} open={open} toggle={toggle} />}
    </>
  );
}
