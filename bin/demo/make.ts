// Runs the two scripts and gives their session files: the same bytes for the same state of this repository.
import { systemHost } from "../system-host.ts";
import { projectDir } from "../default-paths.ts";
import { MODEL, type DemoFile } from "./recorder.ts";
import { smallReads } from "./small-reads.ts";
import { createTools } from "./tools.ts";
import { wholeFiles } from "./whole-files.ts";
import { makeWorkshop } from "./workshop.ts";

/**
 * When the sessions say that they began. Fixed, so that the files are the same whenever they are made; the one that
 * blows up is the later, so that it stands first.
 */
const STARTS = { smallReads: Date.UTC(2026, 0, 15, 9, 0), wholeFiles: Date.UTC(2026, 0, 15, 9, 30) };

export async function makeDemo(): Promise<DemoFile[]> {
  const { tokenizers } = systemHost();
  const tokenizer = await tokenizers.load(tokenizers.idFor(MODEL, "plimsoll")!);
  const counted = new Map<string, number>();
  const count = (text: string): number => {
    const known = counted.get(text) ?? tokenizer.count(text);
    counted.set(text, known);
    return known;
  };
  const workshop = makeWorkshop();
  try {
    const tools = createTools(projectDir, workshop.dir);
    const picture = workshop.chart;
    const first = wholeFiles({ tools, picture, count, at: STARTS.wholeFiles });
    workshop.reset();
    return [...first, ...smallReads({ tools, picture, count, at: STARTS.smallReads })];
  } finally {
    workshop.remove();
  }
}
