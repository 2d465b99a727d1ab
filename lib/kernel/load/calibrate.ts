// Constants fitted to a person's own sessions: least absolute error on the growth that providers reported, held near the
// shipped constants where a class has few samples, and judged only on sessions that the fit has not seen.
import type { Constants, Weighting } from "./constants.ts";
import { FEATURES, SIGNATURE, type Transition } from "./transitions.ts";
import { ITEM_CLASSES, type ItemClass } from "./ledger-types.ts";

/** Fewer transitions than this fit the noise: the shipped constants stay. */
export const LEAST_TRANSITIONS = 500;
const FOLDS = 10;
/** Rounds of reweighting; the constants of the collected sessions stand still after about 30. */
const ROUNDS = 40;
/** Ten folds are fitted; after these rounds their answers differ from the last by less than 0.1 % of the growth. */
const FOLD_ROUNDS = 15;
/** Errors under this many tokens are not worth fitting: reminders that no file shows are as large. */
const NOISE = 25;

export type Fit = {
  readonly classes: Readonly<Partial<Record<ItemClass, Weighting>>>;
  readonly perSignatureChar: number;
};

/** One sample: the columns that it has, their scaled values, and what they should come to. */
type Sample = { readonly columns: readonly number[]; readonly values: readonly number[]; readonly wanted: number };

/** Constants of one family from its transitions. */
export function fit(transitions: readonly Transition[], shipped: Constants, rounds = ROUNDS): Fit {
  const used = Array.from({ length: FEATURES }, (_, i) => i).filter((i) =>
    transitions.some(({ features }) => features[i]! > 0),
  );
  const scale = used.map((i) => Math.sqrt(mean(transitions.map(({ features }) => features[i]! ** 2))) || 1);
  const samples = transitions.map(({ features, grown, known }): Sample => {
    const columns = used.flatMap((i, column) => (features[i] === 0 ? [] : [column]));
    return {
      columns,
      values: columns.map((column) => features[used[column]!]! / scale[column]!),
      wanted: grown - known,
    };
  });
  const prior = used.map((i, column) => priorOf(i, shipped) * scale[column]!);
  let weights = prior;
  for (let done = 0; done < rounds; done++) weights = solveRound(samples, weights, prior);
  const fitted = new Map(used.map((i, column) => [i, Math.max(0, weights[column]! / scale[column]!)]));
  const classes: Partial<Record<ItemClass, Weighting>> = {};
  for (const [at, name] of ITEM_CLASSES.entries()) {
    const perToken = fitted.get(2 * at);
    if (perToken === undefined || perToken === 0) continue;
    const base = fitted.get(2 * at + 1) ?? shipped.classes[name].base;
    classes[name] = { perToken: round(perToken, 3), base: round(base, 1) };
  }
  return { classes, perSignatureChar: round(fitted.get(SIGNATURE) ?? shipped.perSignatureChar, 4) };
}

/** Weighted least squares with the weights of the last round's errors, drawn toward the prior by one mean sample. */
function solveRound(samples: readonly Sample[], last: readonly number[], prior: readonly number[]): number[] {
  const n = last.length;
  const a = Array.from({ length: n }, () => Array.from({ length: n }, () => 0));
  const b = Array.from({ length: n }, () => 0);
  let total = 0;
  for (const { columns, values, wanted } of samples) {
    const said = columns.reduce((sum, column, i) => sum + values[i]! * last[column]!, 0);
    const weight = 1 / Math.max(Math.abs(wanted - said), NOISE);
    total += weight;
    for (const [i, row] of columns.entries()) {
      b[row]! += weight * values[i]! * wanted;
      for (const [j, column] of columns.entries()) a[row]![column]! += weight * values[i]! * values[j]!;
    }
  }
  const ridge = total / Math.max(1, samples.length);
  for (let i = 0; i < n; i++) {
    a[i]![i]! += ridge;
    b[i]! += ridge * prior[i]!;
  }
  return solve(a, b);
}

/** Gaussian elimination with pivots; the ridge keeps the matrix regular. */
function solve(a: number[][], b: number[]): number[] {
  const n = b.length;
  for (let i = 0; i < n; i++) {
    let pivot = i;
    for (let r = i + 1; r < n; r++) if (Math.abs(a[r]![i]!) > Math.abs(a[pivot]![i]!)) pivot = r;
    [a[i], a[pivot]] = [a[pivot]!, a[i]!];
    [b[i], b[pivot]] = [b[pivot]!, b[i]!];
    for (let r = i + 1; r < n; r++) {
      const factor = a[r]![i]! / a[i]![i]!;
      if (factor === 0) continue;
      for (let c = i; c < n; c++) a[r]![c]! -= factor * a[i]![c]!;
      b[r]! -= factor * b[i]!;
    }
  }
  const x = Array.from({ length: n }, () => 0);
  for (let i = n - 1; i >= 0; i--) {
    let rest = b[i]!;
    for (let c = i + 1; c < n; c++) rest -= a[i]![c]! * x[c]!;
    x[i] = rest / a[i]![i]!;
  }
  return x;
}

function priorOf(i: number, shipped: Constants): number {
  if (i === SIGNATURE) return shipped.perSignatureChar;
  const weighting = shipped.classes[ITEM_CLASSES[i >> 1]!];
  return i % 2 === 0 ? weighting.perToken : weighting.base;
}

/** What a fit says that a transition grew by. */
export function predicted({ features, known }: Transition, constants: Fit, shipped: Constants): number {
  let sum = known + features[SIGNATURE]! * constants.perSignatureChar;
  for (const [at, name] of ITEM_CLASSES.entries()) {
    const { perToken, base } = constants.classes[name] ?? shipped.classes[name];
    sum += features[2 * at]! * perToken + features[2 * at + 1]! * base;
  }
  return sum;
}

/** How many fits a cross-validation makes. */
export const foldsOf = (transitions: readonly Transition[]): number =>
  Math.min(FOLDS, new Set(transitions.map(({ group }) => group)).size);

/** Predictions of each transition by constants that were fitted without its group; in the order given. `onFold`: after each fit. */
export function crossValidated(
  transitions: readonly Transition[],
  shipped: Constants,
  onFold?: () => void,
): readonly number[] {
  const groups = [...new Set(transitions.map(({ group }) => group))].toSorted();
  const folds = foldsOf(transitions);
  const foldOf = new Map(groups.map((group, i) => [group, i % folds]));
  const answers = Array.from({ length: transitions.length }, () => 0);
  for (let fold = 0; fold < folds; fold++) {
    const constants = fit(
      transitions.filter(({ group }) => foldOf.get(group) !== fold),
      shipped,
      FOLD_ROUNDS,
    );
    for (const [i, transition] of transitions.entries())
      if (foldOf.get(transition.group) === fold) answers[i] = predicted(transition, constants, shipped);
    onFold?.();
  }
  return answers;
}

export type Errors = {
  /** Σ |error| over Σ |growth|. */
  readonly wape: number | null;
  /** Median of |error| in tokens. */
  readonly median: number | null;
};

export function errorsOf(transitions: readonly Pick<Transition, "grown">[], answers: readonly number[]): Errors {
  const errors = transitions.map(({ grown }, i) => Math.abs(answers[i]! - grown));
  const grown = transitions.reduce((sum, one) => sum + Math.abs(one.grown), 0);
  return {
    wape: grown === 0 ? null : errors.reduce((sum, error) => sum + error, 0) / grown,
    median: errors.length === 0 ? null : errors.toSorted((x, y) => x - y)[errors.length >> 1]!,
  };
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
const round = (value: number, digits: number): number => Number(value.toFixed(digits));
