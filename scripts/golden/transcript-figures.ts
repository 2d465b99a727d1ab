// Figures of transcripts that agents write line by line: Claude Code, Codex, pi and Copilot CLI.
import { sumOf, usedBy, type Figure, type GoldenFile, type GoldenReader } from "./golden-figure.ts";

export type Tokens = {
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

const transcripts = (folder: string): GoldenReader => ({
  folder,
  figures: (want, file) => transcriptFigures(want as Expected, file),
});

export const claudeFigures = transcripts("claude-code");
export const codexFigures = transcripts("codex");
export const piFigures = transcripts("pi");
export const copilotFigures: GoldenReader = {
  folder: "copilot-cli",
  figures: (want, file) => transcriptFigures(expectedOfCopilot(want as CopilotExpected), file),
};

function expectedOfCopilot(want: CopilotExpected): Expected {
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

/** Sums over every session that the file yields, inherited history included. */
function transcriptFigures(want: Expected, { imported, sessions }: GoldenFile): Figure[] {
  const figures: Figure[] = [
    { name: "records", got: imported.records, want: want.records },
    {
      name: "llmCalls",
      got: sumOf(sessions, (session) => session.modelCalls.own + session.modelCalls.inherited),
      want: want.llmCalls,
    },
  ];
  for (const name of ["toolCalls", "toolResults", "callsWithoutResult", "resultsWithoutCall"] as const)
    figures.push({ name, got: sumOf(sessions, (session) => session[name]), want: want[name] ?? 0 });
  const compactions = sumOf(sessions, (session) => session.compactions);
  const tokens = want.tokens === undefined ? undefined : tokensOf(want.tokens);
  if (want.costTotal !== undefined) {
    const usd = sumOf(sessions, (session) => session.cost.reported?.usd ?? 0);
    figures.push({ name: "costTotal", got: Number(usd.toFixed(6)), want: want.costTotal });
  }
  if (tokens !== undefined) {
    figures.push(
      { name: "errorResults", got: sumOf(sessions, (session) => session.toolErrors), want: want.errorResults ?? 0 },
      { name: "compactBoundaries", got: compactions, want: want.compactBoundaries ?? want.compactions ?? 0 },
      { name: "tokens.input", got: usedBy(sessions, "inputUncached"), want: tokens.input_tokens },
      { name: "tokens.cache_read", got: usedBy(sessions, "cacheRead"), want: tokens.cache_read_input_tokens },
      { name: "tokens.cache_creation", got: usedBy(sessions, "cacheWrite"), want: tokens.cache_creation_input_tokens },
      { name: "tokens.output", got: usedBy(sessions, "output"), want: tokens.output_tokens },
    );
  } else {
    const total = want.tokensFinalTotal ?? {};
    const input = usedBy(sessions, "inputUncached") + usedBy(sessions, "cacheRead") + usedBy(sessions, "cacheWrite");
    figures.push(
      { name: "compactions", got: compactions, want: want.compactions ?? 0 },
      { name: "tokens.input", got: input, want: total["input_tokens"] ?? 0 },
      { name: "tokens.cached", got: usedBy(sessions, "cacheRead"), want: total["cached_input_tokens"] ?? 0 },
      { name: "tokens.output", got: usedBy(sessions, "output"), want: total["output_tokens"] ?? 0 },
      { name: "tokens.reasoning", got: usedBy(sessions, "reasoning"), want: total["reasoning_output_tokens"] ?? 0 },
    );
  }
  return figures;
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
