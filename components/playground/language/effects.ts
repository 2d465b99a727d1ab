// What jq's own functions make of their input, as far as shapes go: on what their arguments work, and what comes out.
import { arrayOf, objectOf, SCALAR, union, type Shaped, type Views } from "./views.ts";

type Effect = {
  /** What an argument (from 0) is run on; the function's own input, where nothing is said. */
  readonly argument?: (shape: Shaped, input: Views, index: number) => Views;
  readonly result: (shape: Shaped, input: Views, results: readonly Views[]) => Views;
};

const onElements = (shape: Shaped, input: Views): Views => shape.elements(input);
const onValues = (shape: Shaped, input: Views): Views => shape.each(input);
const same = (_: Shaped, input: Views): Views => input;
const scalar = (): Views => SCALAR;
const entry = (shape: Shaped, input: Views): Views => objectOf({ key: SCALAR, value: shape.each(input) });

const SAME: Effect = { result: same };
const VALUE: Effect = { result: (shape, input) => shape.elements(input) };
const LAST: Effect = { result: (_, __, results) => results.at(-1) ?? null };

const NAMED: Readonly<Record<string, Effect>> = {
  "map/1": { argument: onValues, result: (_, __, [made]) => arrayOf(made ?? null) },
  "map_values/1": { argument: onValues, result: (_, input, [made]) => union([arrayOf(made ?? null), input]) },
  "first/1": LAST,
  "last/1": LAST,
  "limit/2": LAST,
  "skip/2": LAST,
  "until/2": SAME,
  "nth/1": VALUE,
  "nth/2": LAST,
  "first/0": VALUE,
  "last/0": VALUE,
  "add/0": { result: (shape, input) => shape.each(input) },
  "add/1": LAST,
  "min/0": VALUE,
  "max/0": VALUE,
  "min_by/1": { argument: onElements, result: VALUE.result },
  "max_by/1": { argument: onElements, result: VALUE.result },
  "sort_by/1": { argument: onElements, result: same },
  "unique_by/1": { argument: onElements, result: same },
  "group_by/1": { argument: onElements, result: (shape, input) => arrayOf(arrayOf(shape.elements(input))) },
  "any/1": { argument: onValues, result: scalar },
  "all/1": { argument: onValues, result: scalar },
  "any/2": { argument: onGenerated, result: scalar },
  "all/2": { argument: onGenerated, result: scalar },
  "INDEX/1": { argument: onElements, result: (shape, input) => arrayOf(shape.elements(input)) },
  "to_entries/0": { result: (shape, input) => arrayOf(entry(shape, input)) },
  "with_entries/1": { argument: entry, result: same },
  "flatten/0": {
    result: (shape, input) => arrayOf(union([shape.elements(input), shape.elements(shape.elements(input))])),
  },
  "flatten/1": {
    result: (shape, input) => arrayOf(union([shape.elements(input), shape.elements(shape.elements(input))])),
  },
  "transpose/0": { result: (shape, input) => arrayOf(shape.elements(input)) },
  "combinations/0": { result: (shape, input) => arrayOf(shape.elements(shape.elements(input))) },
  "recurse/0": { result: (shape, input) => shape.everything(input) },
  "recurse/1": { result: (shape, input) => shape.everything(input) },
  "keys/0": { result: () => arrayOf(SCALAR) },
  "keys_unsorted/0": { result: () => arrayOf(SCALAR) },
  "paths/0": { result: () => arrayOf(SCALAR) },
  "paths/1": { argument: (shape, input) => shape.everything(input), result: () => arrayOf(SCALAR) },
  "path/1": { result: () => arrayOf(SCALAR) },
  "split/1": { result: () => arrayOf(SCALAR) },
  "split/2": { result: () => arrayOf(SCALAR) },
  "indices/1": { result: () => arrayOf(SCALAR) },
  "explode/0": { result: () => arrayOf(SCALAR) },
  "empty/0": { result: () => [] },
  "match/1": { result: matched },
  "match/2": { result: matched },
  "input/0": { result: (shape) => shape.root },
  "inputs/0": { result: (shape) => shape.root },
  "reduce/2": { argument: onFolded, result: (_, __, results) => union(results) },
  "foreach/2": { argument: onFolded, result: (_, __, results) => union(results) },
  "foreach/3": { argument: onFolded, result: LAST.result },
};

for (const name of [
  "select/1",
  "sort/0",
  "reverse/0",
  "unique/0",
  "del/1",
  "delpaths/1",
  "debug/0",
  "debug/1",
  "stderr/0",
  "pick/1",
  "walk/1",
  "values/0",
  "nulls/0",
  "objects/0",
  "arrays/0",
  "iterables/0",
  "scalars/0",
  "setpath/2",
  "error/0",
])
  (NAMED as Record<string, Effect>)[name] = SAME;
for (const name of [
  "length",
  "not",
  "type",
  "tostring",
  "tonumber",
  "tojson",
  "utf8bytelength",
  "ascii_downcase",
  "ascii_upcase",
  "trim",
  "ltrim",
  "rtrim",
  "floor",
  "round",
  "ceil",
  "sqrt",
  "abs",
  "now",
  "todate",
  "fromdate",
  "mktime",
])
  (NAMED as Record<string, Effect>)[`${name}/0`] = { result: scalar };
for (const name of [
  "test",
  "join",
  "has",
  "in",
  "contains",
  "inside",
  "startswith",
  "endswith",
  "ltrimstr",
  "rtrimstr",
  "trimstr",
  "index",
  "rindex",
  "strftime",
  "isempty",
])
  (NAMED as Record<string, Effect>)[`${name}/1`] = { result: scalar };
for (const name of [
  "sub/2",
  "sub/3",
  "gsub/2",
  "gsub/3",
  "test/2",
  "range/1",
  "range/2",
  "range/3",
  "splits/1",
  "error/1",
])
  (NAMED as Record<string, Effect>)[name] = { result: scalar };

/** `any(generator; condition)`: the condition works on what is generated. */
function onGenerated(shape: Shaped, input: Views, index: number): Views {
  return index === 0 ? input : shape.each(input);
}

/** The first part works on the input; of what follows only the program knows. */
function onFolded(_: Shaped, input: Views, index: number): Views {
  return index === 0 ? input : null;
}

function matched(): Views {
  const capture = objectOf({ offset: SCALAR, length: SCALAR, string: SCALAR, name: SCALAR });
  return objectOf({ offset: SCALAR, length: SCALAR, string: SCALAR, captures: arrayOf(capture) });
}

export function argumentInput(shape: Shaped, name: string, arity: number, index: number, input: Views): Views {
  // While it is typed nobody knows how many arguments there will be.
  for (let count = arity; count <= 3; count++) {
    const effect = own(`${name}/${count}`);
    if (effect !== undefined) return effect.argument === undefined ? input : effect.argument(shape, input, index);
  }
  return input;
}

export function resultOf(shape: Shaped, name: string, input: Views, results: readonly Views[]): Views {
  return own(`${name}/${results.length}`)?.result(shape, input, results) ?? null;
}

const own = (name: string): Effect | undefined => (Object.hasOwn(NAMED, name) ? NAMED[name] : undefined);
