// Figures of Gemini CLI's chats, in its own names: the prompt has what was cached in it, and thoughts stand beside the output.
import { sumOf, usedBy, type GoldenReader } from "./golden-figure.ts";

type Expected = {
  readonly llmCallsWithTokens: number;
  readonly toolCalls: number;
  readonly tokens: Partial<Readonly<Record<"input" | "output" | "cached" | "thoughts" | "tool", number>>>;
};

export const geminiFigures: GoldenReader = {
  folder: "gemini-cli",
  figures(want, { sessions }) {
    const { tokens: told, ...counts } = want as Expected;
    const input = usedBy(sessions, "inputUncached") + usedBy(sessions, "cacheRead");
    const own = sumOf(sessions, (session) => session.modelCalls.own);
    return [
      { name: "toolCalls", got: sumOf(sessions, (session) => session.toolCalls), want: counts.toolCalls },
      // A chat without any tokens has answers all the same.
      { name: "llmCalls", got: input === 0 ? 0 : own, want: counts.llmCallsWithTokens },
      { name: "tokens.input", got: input, want: (told.input ?? 0) + (told.tool ?? 0) },
      { name: "tokens.cached", got: usedBy(sessions, "cacheRead"), want: told.cached ?? 0 },
      { name: "tokens.output", got: usedBy(sessions, "output"), want: (told.output ?? 0) + (told.thoughts ?? 0) },
      { name: "tokens.reasoning", got: usedBy(sessions, "reasoning"), want: told.thoughts ?? 0 },
    ];
  },
};
