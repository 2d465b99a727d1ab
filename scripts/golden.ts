// `npm run golden`: every collected session beside this repository, imported alone into an empty archive and compared
// with figures that an independent reader worked out; then each set of files that share history, in every order.
// A figure that is not met makes the exit status 1.
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemHost } from "#bin/system-host.ts";
import { closeArchive, openArchive } from "#lib/archive/archive.ts";
import { importPaths } from "#lib/archive/import/import-paths.ts";
import { showSession } from "#lib/archive/sessions/show-session.ts";
import type { SessionSummary } from "#lib/wire/sessions-schema.ts";

export const DATA = join(import.meta.dirname, "../../shared/data");
export const hasData = (dir = DATA): boolean => existsSync(join(dir, "GOLDEN.json"));

export type Figure = { readonly name: string; readonly got: number | string; readonly want: number | string };
export type Verdict = { readonly title: string; readonly figures: readonly Figure[] };
export const isMet = ({ got, want }: Figure): boolean => got === want;

type Tokens = {
  readonly input_tokens: number;
  readonly cache_read_input_tokens: number;
  readonly cache_creation_input_tokens: number;
  readonly output_tokens: number;
};
/** As pi names them. */
type PiTokens = {
  readonly input: number;
  readonly output: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
};
type Expected = {
  readonly records: number;
  readonly llmCalls: number;
  readonly toolCalls: number;
  readonly toolResults: number;
  readonly callsWithoutResult: number;
  readonly resultsWithoutCall?: number;
  readonly errorResults?: number;
  readonly compactBoundaries?: number;
  readonly compactions?: number;
  readonly tokens?: Tokens | PiTokens;
  /** Dollars, as the agent counted them. */
  readonly costTotal?: number;
  readonly tokensFinalTotal?: Readonly<Record<string, number>> | null;
};
/** Of Copilot CLI. */
type CopilotExpected = {
  readonly records: number;
  readonly toolRequests: number;
  readonly completed: number;
  readonly requestedNotCompleted: number;
  readonly completedNotRequested: number;
  readonly outputTokensOnMessages: number;
  readonly types: Readonly<Record<string, number>>;
};
/** As Gemini CLI names them; the prompt has what was cached in it. */
type GeminiExpected = {
  readonly llmCallsWithTokens: number;
  readonly toolCalls: number;
  readonly tokens: Partial<Readonly<Record<"input" | "output" | "cached" | "thoughts" | "tool", number>>>;
};
type Golden = {
  readonly files: Readonly<Record<string, Expected>>;
  readonly sets: Readonly<Record<string, { distinctCalls: number; files: { file: string }[]; tokens: Tokens }>>;
};

/** The expected figures of the formats that are read here. */
export function readGolden(dir = DATA): Golden {
  const { _sets: sets, ...all } = JSON.parse(readFileSync(join(dir, "GOLDEN.json"), "utf8")) as Golden["files"] & {
    _sets: Golden["sets"];
  };
  const files = Object.entries(all).filter(([file]) => /^(claude-code|codex|gemini-cli|pi)\//.test(file));
  const copilot = Object.entries(all as unknown as Readonly<Record<string, CopilotExpected>>)
    .filter(([file]) => file.startsWith("copilot-cli/"))
    .map(([file, want]) => [file, copilotFigures(want)] as const);
  return { files: Object.fromEntries([...files, ...copilot]), sets };
}

function copilotFigures(want: CopilotExpected): Expected {
  return {
    records: want.records,
    llmCalls: want.types["assistant.message"] ?? 0,
    toolCalls: want.toolRequests,
    toolResults: want.completed,
    callsWithoutResult: want.requestedNotCompleted,
    resultsWithoutCall: want.completedNotRequested,
    tokensFinalTotal: { output_tokens: want.outputTokensOnMessages },
  };
}

/** One file alone: its figures are summed over every session that it yields, inherited history included. */
export async function fileVerdict(file: string, want: Expected, dir = DATA): Promise<Verdict> {
  return inEmptyArchive(async (archive) => {
    const imported = await importPaths(archive, [join(dir, file)]);
    const found = imported.files[0]!;
    const all = await Promise.all(found.sessions.map((id) => showSession(archive, id)));
    // Its figures are those of the file's own records; what progress lines tell of sub-agents is in sessions of its own.
    const sessions = all.filter(({ from }) => from === null);
    const sum = (pick: (session: SessionSummary) => number): number =>
      sessions.reduce((total, session) => total + pick(session), 0);
    const used = (field: keyof SessionSummary["usage"]): number => sum((session) => session.usageWithInherited[field]);
    if (file.startsWith("gemini-cli/")) {
      const { tokens: told, ...counts } = want as unknown as GeminiExpected;
      const input = used("inputUncached") + used("cacheRead");
      const own = sum((session) => session.modelCalls.own);
      return {
        title: file,
        figures: [
          { name: "status", got: found.status, want: "imported" },
          { name: "toolCalls", got: sum((session) => session.toolCalls), want: counts.toolCalls },
          // A chat without any tokens has answers all the same.
          { name: "llmCalls", got: input === 0 ? 0 : own, want: counts.llmCallsWithTokens },
          { name: "tokens.input", got: input, want: (told.input ?? 0) + (told.tool ?? 0) },
          { name: "tokens.cached", got: used("cacheRead"), want: told.cached ?? 0 },
          { name: "tokens.output", got: used("output"), want: (told.output ?? 0) + (told.thoughts ?? 0) },
          { name: "tokens.reasoning", got: used("reasoning"), want: told.thoughts ?? 0 },
        ],
      };
    }
    const figures: Figure[] = [
      { name: "status", got: found.status, want: "imported" },
      { name: "records", got: found.records, want: want.records },
      {
        name: "llmCalls",
        got: sum((session) => session.modelCalls.own + session.modelCalls.inherited),
        want: want.llmCalls,
      },
    ];
    for (const name of ["toolCalls", "toolResults", "callsWithoutResult", "resultsWithoutCall"] as const)
      figures.push({ name, got: sum((session) => session[name]), want: want[name] ?? 0 });
    const compactions = sum((session) => session.compactions);
    const tokens = want.tokens === undefined ? undefined : tokensOf(want.tokens);
    if (want.costTotal !== undefined) {
      const usd = sum((session) => session.cost.reported?.usd ?? 0);
      figures.push({ name: "costTotal", got: Number(usd.toFixed(6)), want: want.costTotal });
    }
    if (tokens !== undefined) {
      figures.push(
        { name: "errorResults", got: sum((session) => session.toolErrors), want: want.errorResults ?? 0 },
        { name: "compactBoundaries", got: compactions, want: want.compactBoundaries ?? want.compactions ?? 0 },
        { name: "tokens.input", got: used("inputUncached"), want: tokens.input_tokens },
        { name: "tokens.cache_read", got: used("cacheRead"), want: tokens.cache_read_input_tokens },
        { name: "tokens.cache_creation", got: used("cacheWrite"), want: tokens.cache_creation_input_tokens },
        { name: "tokens.output", got: used("output"), want: tokens.output_tokens },
      );
    } else {
      const total = want.tokensFinalTotal ?? {};
      const input = used("inputUncached") + used("cacheRead") + used("cacheWrite");
      figures.push(
        { name: "compactions", got: compactions, want: want.compactions ?? 0 },
        { name: "tokens.input", got: input, want: total["input_tokens"] ?? 0 },
        { name: "tokens.cached", got: used("cacheRead"), want: total["cached_input_tokens"] ?? 0 },
        { name: "tokens.output", got: used("output"), want: total["output_tokens"] ?? 0 },
        { name: "tokens.reasoning", got: used("reasoning"), want: total["reasoning_output_tokens"] ?? 0 },
      );
    }
    return { title: file, figures };
  });
}

function tokensOf(tokens: Tokens | PiTokens): Tokens {
  if (!("input" in tokens)) return tokens;
  return {
    input_tokens: tokens.input,
    cache_read_input_tokens: tokens.cacheRead ?? 0,
    cache_creation_input_tokens: tokens.cacheWrite ?? 0,
    output_tokens: tokens.output,
  };
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
  for (const [file, want] of Object.entries(golden.files)) add(await fileVerdict(file, want));
  for (const [name, set] of Object.entries(golden.sets))
    for (const order of ordersOf(set.files.map(({ file }) => file))) add(await setVerdict(name, order));
  const missed = verdicts.filter(({ figures }) => !figures.every(isMet));
  const figures = verdicts.reduce((sum, verdict) => sum + verdict.figures.length, 0);
  const files = Object.keys(golden.files).length;
  console.log(
    `${files} files and ${verdicts.length - files} orders of ${Object.keys(golden.sets).length} sets, ${figures} figures: ${missed.length === 0 ? "all met" : `${missed.length} not met`}.`,
  );
  for (const { title } of missed) console.log(`  not met: ${title}`);
  return missed.length === 0 ? 0 : 1;
}

if (import.meta.main) process.exitCode = await main();
