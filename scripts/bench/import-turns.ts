// Files read and parsed, and imported, in turns: a busy machine slows both.
import { runTask } from "./measure-run.ts";
import { median } from "./table.ts";
import type { ImportResult, ParseResult } from "./tasks.ts";

/** What an import may take of the processor, against reading and parsing the same bytes; its memory. */
export const [MOST, PEAK] = [10, 512e6] as const;

export type Measured = {
  readonly bytes: number;
  readonly events: number;
  /** Milliseconds of the processor. */
  readonly floor: number;
  readonly took: number;
  readonly peak: number;
};

type Turns = {
  readonly floor: "parse" | "parseZip";
  readonly paths: readonly string[];
  /** Archives are made beside it, one for each run. */
  readonly dir: string;
  readonly runs: number;
};

export async function inTurns({ floor, paths, dir, runs }: Turns): Promise<Measured> {
  const floors: ParseResult[] = [];
  const imports: ImportResult[] = [];
  for (let run = 0; run < runs; run++) {
    floors.push(await runTask<ParseResult>(floor, { paths }));
    const own = await runTask<ImportResult>("import", { paths, dir: `${dir}-${run}` });
    if (own.events < 2) throw new Error(`No events were read of ${paths.join(", ")}.`);
    imports.push(own);
  }
  return {
    bytes: floors[0]!.bytes,
    events: imports[0]!.events,
    floor: median(floors.map(({ cpuMs }) => cpuMs)),
    took: median(imports.map(({ cpuMs }) => cpuMs)),
    peak: Math.max(...imports.map(({ peakBytes }) => peakBytes)),
  };
}
