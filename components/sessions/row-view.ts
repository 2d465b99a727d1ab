// How a row of the sessions table is shown.
import type { SessionRow } from "#lib/wire/sessions-schema.ts";

export type RowView = {
  readonly q: string;
  /** Words of the search that a title marks. */
  readonly marked: string;
  readonly dense: boolean;
  /** A sub-agent's row has one line. */
  readonly child: "no" | "middle" | "last";
  readonly loadWidth: number;
  readonly height: number;
  /** What the row has no column for stands below it; its title has two lines. */
  readonly isNarrow: boolean;
  /** The reader did not hide the column of the sparkline. */
  readonly hasLoad: boolean;
  /** Identical forks that the row stands for; 1 for a session of its own. */
  readonly forks: number;
  readonly open: boolean;
  readonly onUnfold: (id: string) => void;
  readonly isChosen: boolean;
  /** Another row is selected: where to select this one is shown too. */
  readonly isChoosing: boolean;
  readonly onChoose: (isRange: boolean) => void;
};

export type CellProps = { session: SessionRow; view: RowView };

export function oneLine(view: RowView): boolean {
  return view.dense || view.child !== "no";
}
