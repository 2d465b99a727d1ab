// Figures of ATIF trajectories: those of the file's own session, without the sub-agents inside it.
import { eventsOf, sumOf, usedBy, type Figure, type GoldenFile, type GoldenReader } from "./golden-figure.ts";

type Expected = {
  readonly agent: string;
  readonly continued: string | null;
  readonly copiedSteps: number;
  readonly embeddedSubagents: number;
  readonly finalMetrics: Partial<
    Readonly<
      Record<"total_prompt_tokens" | "total_completion_tokens" | "total_cached_tokens" | "total_cost_usd", number>
    >
  >;
  readonly results: number;
  readonly resultsNotInSameStep: number;
  readonly sources: Readonly<Record<string, number>>;
  readonly steps: number;
  readonly subagentRefs: number;
  readonly sumStepMetrics: Partial<
    Readonly<Record<"prompt_tokens" | "completion_tokens" | "cached_tokens" | "cost_usd", number>>
  >;
  readonly toolCalls: number;
};

export const atifFigures: GoldenReader = { folder: "atif", figures: (want, file) => figuresOf(want as Expected, file) };

function figuresOf(want: Expected, file: GoldenFile): Figure[] {
  const { sessions } = file;
  const own = sessions.filter(({ parentId }) => parentId === null);
  const [main] = own;
  const { number, note } = eventsOf(file, main!);
  const count = (where: string): number => number("count(*)", where);
  const reported = main!.cost.reported!;
  const prompt = (of: (typeof reported)["usage"]): number => of.inputUncached + of.cacheRead + of.cacheWrite;
  const copied = main!.quality.flatMap((sentence) => /^(\d+) steps are copied/.exec(sentence)?.[1] ?? []);
  const {
    total_prompt_tokens: totalPrompt,
    total_completion_tokens: totalOutput,
    total_cached_tokens: totalCached,
    total_cost_usd: totalUsd,
  } = want.finalMetrics;
  const sum = want.sumStepMetrics;
  return [
    { name: "sessions", got: own.length, want: 1 },
    { name: "agent", got: main!.agent, want: want.agent },
    { name: "steps", got: main!.records, want: want.steps },
    {
      name: "steps.user",
      got: count("type = 'user' AND json_extract(body, '$.injected') IS NULL"),
      want: want.sources["user"] ?? 0,
    },
    { name: "steps.system", got: count("type IN ('system', 'compaction')"), want: want.sources["system"] ?? 0 },
    { name: "toolCalls", got: main!.toolCalls, want: want.toolCalls },
    // What no call asked for is shown by the environment; a result that only refers to sub-agents is none of ours.
    {
      name: "resultsNotInSameStep",
      got: sumOf(own, (session) => session.resultsWithoutCall),
      want: want.resultsNotInSameStep,
    },
    { name: "results", got: results(main!.toolResults, count), want: want.results },
    { name: "subagentRefs", got: count("json_extract(body, '$.subtype') = 'subagent'"), want: want.subagentRefs },
    { name: "embeddedSubagents", got: main!.children, want: want.embeddedSubagents },
    { name: "copiedSteps", got: Number(copied[0] ?? 0), want: want.copiedSteps },
    { name: "continued", got: note("continued"), want: want.continued ?? "" },
    {
      name: "sum.prompt",
      got: usedBy(own, "inputUncached") + usedBy(own, "cacheRead") + usedBy(own, "cacheWrite"),
      want: sum.prompt_tokens ?? 0,
    },
    { name: "sum.output", got: usedBy(own, "output"), want: sum.completion_tokens ?? 0 },
    { name: "sum.cached", got: usedBy(own, "cacheRead"), want: sum.cached_tokens ?? 0 },
    { name: "final.prompt", got: prompt(reported.usage), want: totalPrompt ?? 0 },
    { name: "final.output", got: reported.usage.output, want: totalOutput ?? 0 },
    { name: "final.cached", got: reported.usage.cacheRead, want: totalCached ?? 0 },
    { name: "final.usd", got: round(reported.usd ?? 0), want: round(totalUsd ?? sum.cost_usd ?? 0) },
  ];
}

const results = (paired: number, count: (where: string) => number): number =>
  paired + count("json_extract(body, '$.injected') = 'environment'") + count("type = 'compaction'");

const round = (usd: number): number => Number(usd.toFixed(9));
