// Which rows of a transcript a filter lets through, and how many there are of each choice. Types and tools add up
// (a user's message or a Bash call); marks narrow (an error and over 2,000 tokens). Pure, over columns of equal length.

/** Bits of a row. */
export const ROW_FLAG = {
  error: 1,
  pending: 2,
  inherited: 4,
  /** Not shown unless asked for: records that are no conversation. */
  hidden: 8,
  /** Cleared or dropped from the context. */
  gone: 16,
  /** The model saw less than what is stored. */
  offloaded: 32,
  /** Starts a sub-agent. */
  agent: 64,
} as const;

/** More tokens than this are a large row: an eightieth of a window of 160,000. */
export const LARGE_TOKENS = 2000;

export const ROW_TYPES = ["user", "assistant", "reasoning"] as const;
export type RowType = (typeof ROW_TYPES)[number];
export const ROW_MARKS = ["error", "large", "offloaded", "agent"] as const;
export type RowMark = (typeof ROW_MARKS)[number];

export type RowFilter = {
  readonly types: readonly RowType[];
  /** Names of tools. */
  readonly tools: readonly string[];
  readonly marks: readonly RowMark[];
};

export const isFiltering = ({ types, tools, marks }: RowFilter): boolean =>
  types.length + tools.length + marks.length > 0;

/** The columns of an outline that a filter reads. */
export type FilterColumns = {
  readonly type: readonly number[];
  readonly types: readonly string[];
  /** Index into `tools`, from 1; 0 for a row of no tool. */
  readonly tool: readonly number[];
  readonly tools: readonly string[];
  readonly tokens: readonly number[];
  readonly flags: readonly number[];
};

export type RowCounts = {
  readonly types: Readonly<Record<RowType, number>>;
  /** By name, the most used first. */
  readonly tools: readonly { readonly name: string; readonly count: number }[];
  readonly marks: Readonly<Record<RowMark, number>>;
  /** Rows that the filter lets through, and all. */
  readonly matching: number;
  readonly total: number;
};

/** Says of each row, by its index, whether the filter lets it through. Rows hidden by default pass only `withHidden`. */
export function rowFilter(rows: FilterColumns, filter: RowFilter, withHidden: boolean): (i: number) => boolean {
  const isOfKind = kindTest(rows, filter);
  const marks = filter.marks.reduce((sum, mark) => sum | MARK_BIT[mark], 0);
  return (i) => (withHidden || !isHidden(rows, i)) && isOfKind(i) && (marksOf(rows, i) & marks) === marks;
}

/**
 * Rows of each choice, over the whole session. Beside a type or a tool stand the rows that it would add: those with all
 * chosen marks. Beside a mark stand the rows that it would leave of what is chosen now.
 */
export function rowCounts(rows: FilterColumns, filter: RowFilter, withHidden: boolean): RowCounts {
  const isOfKind = kindTest(rows, filter);
  const chosen = filter.marks.reduce((sum, mark) => sum | MARK_BIT[mark], 0);
  const types = new Map<string, number>();
  const byTool = new Array<number>(rows.tools.length + 1).fill(0);
  const marks = { error: 0, large: 0, offloaded: 0, agent: 0 };
  let matching = 0;
  let total = 0;
  for (let i = 0; i < rows.type.length; i++) {
    if (!withHidden && isHidden(rows, i)) continue;
    total++;
    const own = marksOf(rows, i);
    if ((own & chosen) !== chosen) continue;
    const type = rows.types[rows.type[i] ?? 0] ?? "";
    types.set(type, (types.get(type) ?? 0) + 1);
    byTool[rows.tool[i] ?? 0]! += 1;
    if (!isOfKind(i)) continue;
    matching++;
    for (const mark of ROW_MARKS) if ((own & MARK_BIT[mark]) !== 0) marks[mark]++;
  }
  return {
    types: {
      user: types.get("user") ?? 0,
      assistant: types.get("assistant") ?? 0,
      reasoning: types.get("reasoning") ?? 0,
    },
    tools: rows.tools
      .map((name, at) => ({ name, count: byTool[at + 1] ?? 0 }))
      .toSorted((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1)),
    marks,
    matching,
    total,
  };
}

const LARGE_BIT = 1024;
const MARK_BIT: Readonly<Record<RowMark, number>> = {
  error: ROW_FLAG.error,
  large: LARGE_BIT,
  offloaded: ROW_FLAG.offloaded,
  agent: ROW_FLAG.agent,
};

const marksOf = (rows: FilterColumns, i: number): number =>
  (rows.flags[i] ?? 0) | ((rows.tokens[i] ?? 0) > LARGE_TOKENS ? LARGE_BIT : 0);

const isHidden = (rows: FilterColumns, i: number): boolean => ((rows.flags[i] ?? 0) & ROW_FLAG.hidden) !== 0;

function kindTest(rows: FilterColumns, { types, tools }: RowFilter): (i: number) => boolean {
  if (types.length === 0 && tools.length === 0) return () => true;
  const typeNames = new Set<string>(types);
  const toolNames = new Set(tools);
  const isType = rows.types.map((name) => typeNames.has(name));
  const isTool = [false, ...rows.tools.map((name) => toolNames.has(name))];
  return (i) => isType[rows.type[i] ?? 0] === true || isTool[rows.tool[i] ?? 0] === true;
}
