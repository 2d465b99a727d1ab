import { ChevronDown, ChevronRight } from "lucide-react";
import type { JsonTextLine } from "#lib/wire/json-tree-schema.ts";
import { formatCount } from "../ui/format.ts";
import { Marked, type Sought } from "./marked.tsx";

type TextLineProps = {
  /** From 0. */
  number: number;
  width: number;
  line: JsonTextLine | undefined;
  isChosen: boolean;
  isFolded: boolean;
  sought: Sought | null;
  onPick: (line: JsonTextLine) => void;
  onFold: (number: number, lines: number) => void;
};

const CLASSES: Readonly<Partial<Record<JsonTextLine["kind"], string>>> = {
  string: "text-syn-str",
  number: "text-syn-num",
  true: "text-syn-fn",
  false: "text-syn-fn",
  null: "text-syn-fn",
};

export function TextLine({ number, width, line, isChosen, isFolded, sought, onPick, onFold }: TextLineProps) {
  const said = (number + 1).toLocaleString("en-US");
  return (
    <div
      className="mono group/line flex h-4.5 pr-6 whitespace-pre text-ink-2 data-chosen:bg-select"
      data-chosen={isChosen || undefined}
    >
      <span className="sticky left-0 flex flex-none bg-bg text-ink-3 group-data-chosen/line:bg-select group-data-chosen/line:text-ink">
        <button
          type="button"
          tabIndex={-1}
          className="pl-6 text-right max-md:pl-3"
          style={{ minWidth: `calc(${width}ch + 24px)` }}
          aria-label={`Line ${said}`}
          title="Choose the value of this line"
          onClick={() => line && onPick(line)}
        >
          {number + 1}
        </button>
        {line?.part === "open" ? (
          <button
            type="button"
            className="grid h-4.5 w-6 place-items-center"
            aria-label={`${isFolded ? "Unfold" : "Fold"} line ${said}`}
            aria-expanded={!isFolded}
            onClick={() => onFold(number, line.lines)}
          >
            {isFolded ? <ChevronRight size={12} aria-hidden="true" /> : <ChevronDown size={12} aria-hidden="true" />}
          </button>
        ) : (
          <span className="grid h-4.5 w-6 place-items-center" />
        )}
      </span>
      <code>{line && <Shown line={line} isFolded={isFolded} sought={sought} />}</code>
    </div>
  );
}

function Shown({ line, isFolded, sought }: Pick<TextLineProps, "isFolded" | "sought"> & { line: JsonTextLine }) {
  const { kind, indent, key, text, chars, comma, count } = line;
  const isObject = kind === "object";
  return (
    <>
      {"  ".repeat(Math.min(indent, 100))}
      {key !== null && (
        <>
          <span className="text-syn-key">
            <Marked text={key} sought={sought} />
          </span>
          {": "}
        </>
      )}
      <span className={CLASSES[kind]}>
        <Marked text={text} sought={sought} />
      </span>
      {isFolded && (
        <span className="font-sans text-ink-3">
          {" "}
          … {formatCount(count, isObject ? "key" : "element")}, {formatCount(line.lines, "line")}{" "}
        </span>
      )}
      {isFolded && (isObject ? "}" : "]")}
      {comma && ","}
      {chars !== null && (
        <span className="font-sans text-ink-3">
          {" "}
          … {chars.toLocaleString("en-US")} characters{kind === "deep" && ", nested deeper than 512 levels"}
        </span>
      )}
    </>
  );
}
