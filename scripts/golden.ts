// `npm run golden`: every collected session beside this repository, imported alone into an empty archive and compared
// with figures that an independent reader worked out; then each set of files that share history, in every order.
// A figure that is not met makes the exit status 1. Each file of GOLDEN.json is compared, or named as not yet read.
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemHost } from "#bin/system-host.ts";
import { closeArchive, openArchive } from "#lib/archive/archive.ts";
import { importPaths } from "#lib/archive/import/import-paths.ts";
import { showSession } from "#lib/archive/sessions/show-session.ts";
import type { SessionSummary } from "#lib/wire/sessions-schema.ts";
import { isMet, type Figure, type GoldenReader } from "./golden/golden-figure.ts";
import { GOLDEN_READERS } from "./golden/index.ts";
import type { Tokens } from "./golden/transcript-figures.ts";

export const DATA = join(import.meta.dirname, "../../shared/data");
export const hasData = (dir = DATA): boolean => existsSync(join(dir, "GOLDEN.json"));

export type Verdict = { readonly title: string; readonly figures: readonly Figure[] };

type Golden = {
  /** Every file of GOLDEN.json with its figures. */
  readonly files: Readonly<Record<string, unknown>>;
  readonly sets: Readonly<Record<string, { distinctCalls: number; files: { file: string }[]; tokens: Tokens }>>;
};

export function readGolden(dir = DATA): Golden {
  const { _sets: sets, ...files } = JSON.parse(readFileSync(join(dir, "GOLDEN.json"), "utf8")) as Golden["files"] & {
    _sets: Golden["sets"];
  };
  return { files, sets };
}

/** The reader of a file's figures; null while its format is not read. */
export const goldenReader = (file: string): GoldenReader | null =>
  GOLDEN_READERS.find(({ folder }) => file.startsWith(`${folder}/`)) ?? null;

/** One file alone, in an empty archive. */
export async function fileVerdict(file: string, want: unknown, dir = DATA): Promise<Verdict> {
  return inEmptyArchive(async (archive) => {
    const imported = (await importPaths(archive, [join(dir, file)])).files[0]!;
    const all = await Promise.all(imported.sessions.map((id) => showSession(archive, id)));
    // Its figures are those of the file's own records; what progress lines tell of sub-agents is in sessions of its own.
    const sessions = all.filter(({ from }) => from === null);
    const figures = await goldenReader(file)!.figures(want, { archive, imported, sessions });
    return { title: file, figures: [{ name: "status", got: imported.status, want: "imported" }, ...figures] };
  });
}

/** Files that share history, in one order: each call is counted once in the archive. */
export async function setVerdict(name: string, order: readonly string[], dir = DATA): Promise<Verdict> {
  const set = readGolden(dir).sets[name]!;
  return inEmptyArchive(async (archive) => {
    const ids: string[] = [];
    for (const file of order) ids.push(...(await importPaths(archive, [join(dir, file)])).files[0]!.sessions);
    const sessions = await Promise.all(ids.map((id) => showSession(archive, id)));
    const own = (field: keyof SessionSummary["usage"]): number =>
      sessions.reduce((total, session) => total + session.usage[field], 0);
    const figures: Figure[] = [
      { name: "sessions", got: new Set(ids).size, want: order.length },
      {
        name: "distinctCalls",
        got: sessions.reduce((total, session) => total + session.modelCalls.own, 0),
        want: set.distinctCalls,
      },
      { name: "tokens.input", got: own("inputUncached"), want: set.tokens.input_tokens },
      { name: "tokens.cache_read", got: own("cacheRead"), want: set.tokens.cache_read_input_tokens },
      { name: "tokens.cache_creation", got: own("cacheWrite"), want: set.tokens.cache_creation_input_tokens },
      { name: "tokens.output", got: own("output"), want: set.tokens.output_tokens },
    ];
    const numbers = order.map((file) => set.files.findIndex((one) => one.file === file) + 1);
    return { title: `${name}, in the order ${numbers.join(" ")}`, figures };
  });
}

/** Every order of a list. */
export function ordersOf<T>(items: readonly T[]): T[][] {
  if (items.length < 2) return [[...items]];
  return items.flatMap((item, i) => ordersOf(items.toSpliced(i, 1)).map((rest) => [item, ...rest]));
}

async function inEmptyArchive<T>(run: (archive: Awaited<ReturnType<typeof openArchive>>) => Promise<T>): Promise<T> {
  const dir = mkdtempSync(join(tmpdir(), "plimsoll-golden-"));
  try {
    const archive = await openArchive({ dir, host: systemHost() });
    try {
      return await run(archive);
    } finally {
      await closeArchive(archive);
    }
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

function print({ title, figures }: Verdict): void {
  console.log(title);
  for (const figure of figures) {
    const { name, got, want } = figure;
    console.log(`  ${name.padEnd(22)} ${String(got).padStart(12)}  ${isMet(figure) ? "met" : `NOT MET: want ${want}`}`);
  }
}

async function main(): Promise<number> {
  if (!hasData()) {
    console.error("There is no ../shared/data/GOLDEN.json beside this repository: nothing to compare with.");
    return 1;
  }
  const verdicts: Verdict[] = [];
  const add = (verdict: Verdict): void => {
    print(verdict);
    verdicts.push(verdict);
  };
  const golden = readGolden();
  const all = Object.keys(golden.files);
  const read = all.filter((file) => goldenReader(file) !== null);
  for (const file of read) add(await fileVerdict(file, golden.files[file]));
  for (const [name, set] of Object.entries(golden.sets))
    for (const order of ordersOf(set.files.map(({ file }) => file))) add(await setVerdict(name, order));
  const missed = verdicts.filter(({ figures }) => !figures.every(isMet));
  const figures = verdicts.reduce((sum, verdict) => sum + verdict.figures.length, 0);
  console.log(
    `${read.length} of ${all.length} files and ${verdicts.length - read.length} orders of ${Object.keys(golden.sets).length} sets, ${figures} figures: ${missed.length === 0 ? "all met" : `${missed.length} not met`}.`,
  );
  for (const { title } of missed) console.log(`  not met: ${title}`);
  for (const file of all) if (!read.includes(file)) console.log(`  not yet read: ${file}`);
  return missed.length === 0 ? 0 : 1;
}

if (import.meta.main) process.exitCode = await main();
