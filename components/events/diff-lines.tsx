import { SafeText } from "../ui/safe-text.tsx";
import "./diff-lines.css";
import { foldSame, type DiffLine } from "./diff.ts";
import { CapLine } from "./event-parts.tsx";

/** A folded edit shows this many lines: the median edit has 9. */
const FOLDED = 14;
/** An open one at most this many: 2,000 lines are 10,000 elements, 60 ms to lay out. */
const MOST = 2000;

type DiffProps = { lines: readonly DiffLine[]; open: boolean; toggle: () => void };

export function Diff({ lines, open, toggle }: DiffProps) {
  const folded = foldSame(lines, 3);
  const shown = open ? lines.slice(0, MOST) : folded.slice(0, FOLDED);
  const isCapped = lines.length > shown.length;
  return (
    <div className="diff">
      {shown.map((line, i) => (
        // oxlint-disable-next-line react/no-array-index-key -- the lines of one edit never move
        <Line key={i} line={line} />
      ))}
      {(isCapped || open) && (
        <CapLine
          says={
            open
              ? lines.length > MOST
                ? `First ${MOST} of ${lines.length} lines shown.`
                : `All ${lines.length} lines shown.`
              : `${shown.filter((line) => line.kind !== "gap").length} of ${lines.length} lines shown.`
          }
          open={open}
          toggle={toggle}
        />
      )}
    </div>
  );
}

const SIGN = { add: "+", del: "−", same: "", gap: "", file: "" };

function Line({ line }: { line: DiffLine }) {
  if (line.kind === "gap" || line.kind === "file")
    return (
      <div className={line.kind === "file" ? "text-ink" : "text-ink-3"}>
        <span>{line.kind === "gap" ? "⋮" : ""}</span>
        <span />
        <span />
        <code>
          <SafeText text={line.text} />
        </code>
      </div>
    );
  return (
    <div className={line.kind === "same" ? undefined : line.kind}>
      <span>{line.old ?? ""}</span>
      <span>{line.new ?? ""}</span>
      <span className="sign">{SIGN[line.kind]}</span>
      <code>
        {line.changed === null ? (
          <SafeText text={line.text} />
        ) : (
          <>
            <SafeText text={line.text.slice(0, line.changed[0])} />
            <u>
              <SafeText text={line.text.slice(line.changed[0], line.changed[1])} />
            </u>
            <SafeText text={line.text.slice(line.changed[1])} />
          </>
        )}
      </code>
    </div>
  );
}
