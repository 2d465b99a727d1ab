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
  string: "json-string",
  number: "json-number",
  true: "json-word",
  false: "json-word",
  null: "json-word",
};

export function TextLine({ number, width, line, isChosen, isFolded, sought, onPick, onFold }: TextLineProps) {
  const said = (number + 1).toLocaleString("en-US");
  return (
    <div className="json-line" data-chosen={isChosen || undefined}>
      <span className="json-gutter">
        <button
          type="button"
          tabIndex={-1}
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
            className="json-fold"
            aria-label={`${isFolded ? "Unfold" : "Fold"} line ${said}`}
            aria-expanded={!isFolded}
            onClick={() => onFold(number, line.lines)}
          >
            {isFolded ? <ChevronRight size={12} aria-hidden="true" /> : <ChevronDown size={12} aria-hidden="true" />}
          </button>
        ) : (
          <span className="json-fold" />
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
          <span className="json-key">
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
