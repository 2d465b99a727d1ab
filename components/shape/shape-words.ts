// A shape in words: what a path holds, how much was read, and what was not. Pure.
import { formatBytes, formatCount } from "../ui/format.ts";
import type { ShapeAnswer, ShapeNode } from "#lib/wire/shape-schema.ts";

type Typed = Pick<ShapeNode, "types" | "lengths" | "keys" | "isMap" | "hasMoreKeys">;

/** `string`, `number or null`, `array of 3 to 12`, `map of 500 keys`. */
export function typeWords(node: Typed): string {
  const words = node.types.map(({ type }) => {
    if (type === "array") return `array of ${rangeWords(node.lengths)}`;
    if (type === "object") return objectWords(node);
    return type;
  });
  if (words.length === 0) return "never a value";
  if (words.length <= 3) return words.join(" or ");
  return `${words.slice(0, 2).join(", ")} or ${words.length - 2} other types`;
}

function objectWords({ keys, isMap, hasMoreKeys }: Typed): string {
  if (!isMap) return "object";
  return `map of ${hasMoreKeys ? "over " : ""}${formatCount(keys ?? 0, "key")}`;
}

const rangeWords = (lengths: Typed["lengths"]): string =>
  lengths === null
    ? "some"
    : lengths.min === lengths.max
      ? formatCount(lengths.max, "element").split(" ")[0]!
      : `${lengths.min.toLocaleString("en-US")} to ${lengths.max.toLocaleString("en-US")}`;

/** A key that some objects do not have. */
export const isOptional = ({ step, owners, of }: Pick<ShapeNode, "step" | "owners" | "of">): boolean =>
  step === "key" && owners < of;

/** `number, in 342 of 2,914`: what completion says beside a path; of a part of the values, `in 7 of the first 200`. */
export function keyWords(node: ShapeNode, isAll = true): string {
  const types = node.types.map(({ type }) => type).join(" or ");
  if (node.step !== "key") return `${types}, ${formatCount(node.count, "value")}`;
  return isOptional(node)
    ? `${types}, in ${whole(node.owners)} of ${isAll ? "" : "the first "}${whole(node.of)}`
    : `${types}, in all ${isAll ? "" : "of the first "}${whole(node.of)}`;
}

const whole = (count: number): string => count.toLocaleString("en-US");

/** `2,914 values, all read`. */
export function readWords(shape: ShapeAnswer): string {
  const what = countWords(shape);
  if (shape.stopped === "deadline" || shape.stopped === "size")
    return `${what}, first ${formatBytes(shape.readBytes)} read`;
  if (shape.stopped === "broken") return `${what}, read to where it breaks off`;
  return `${what}, all read`;
}

function countWords({ kind, values, nodes }: ShapeAnswer): string {
  if (kind === "table") return formatCount(values, "row");
  if (kind === "lines" || values > 1) return formatCount(values, "value");
  const [root] = nodes;
  if (root?.lengths) return formatCount(root.lengths.max, "element");
  return root?.keys == null ? "one value" : formatCount(root.keys, "key");
}

/** What the outline does not tell, one sentence each. */
export function shapeNotes(shape: ShapeAnswer): readonly string[] {
  const { kind, broken, firstBroken, brokenAt, stopped, readBytes, sizeBytes, repeatedKeys, isTooDeep, isFull } = shape;
  const notes: string[] = [];
  if (stopped === "deadline" || stopped === "size") {
    const why = stopped === "deadline" ? "the time for it was over" : "it is larger than what is read for a shape";
    notes.push(`Counts are of the first ${formatBytes(readBytes)} of ${formatBytes(sizeBytes)}: ${why}.`);
  }
  if (brokenAt !== null) notes.push(`It stops being JSON at byte ${whole(brokenAt)}; what came before is counted.`);
  if (broken > 0)
    notes.push(
      kind === "table"
        ? `${formatCount(broken, "row")} ${broken === 1 ? "has" : "have"} not as many cells as the header, the first is row ${whole(firstBroken ?? 0)}.`
        : `${formatCount(broken, "line")} ${broken === 1 ? "is" : "are"} not JSON, the first is line ${whole(firstBroken ?? 0)}.`,
    );
  if (repeatedKeys > 0)
    notes.push(`A key comes again in its object ${formatCount(repeatedKeys, "time")}: jq sees the last.`);
  if (isFull) notes.push("Over 2,000 places: the first 2,000 are listed.");
  if (isTooDeep) notes.push("Nested over 64 levels: the first 64 are listed.");
  return notes;
}
