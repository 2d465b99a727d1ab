// Figures of SWE-agent's trajectories. A message that only repeats a step is no event: steps are read from `trajectory`, what stood
// before the first from `history`.
import { readFileSync } from "node:fs";
import { eventsOf, type Figure, type GoldenFile, type GoldenReader } from "./golden-figure.ts";

type Expected = {
  readonly exitStatus: string;
  readonly history: number;
  readonly maxObservationBytes: number;
  readonly modelStats: Partial<
    Readonly<Record<"api_calls" | "instance_cost" | "tokens_received" | "tokens_sent", number>>
  >;
  readonly replayConfigType: string;
  readonly roles: Partial<Readonly<Record<"assistant" | "system" | "tool" | "user", number>>>;
  readonly steps: number;
};

export const sweFigures: GoldenReader = {
  folder: "swe-agent",
  figures: (want, file) => figuresOf(want as Expected, file),
};

function figuresOf(want: Expected, file: GoldenFile): Figure[] {
  const { imported, sessions } = file;
  const main = sessions[0]!;
  const { number: count, note } = eventsOf(file, main);
  const isObserved = "(type = 'tool_result' OR coalesce(json_extract(body, '$.injected'), '') = 'environment')";
  const { system = 0, user = 0, tool = 0, assistant = 0 } = want.roles;
  const stats = want.modelStats;
  const reported = main.cost.reported;
  return [
    { name: "sessions", got: sessions.length, want: 1 },
    { name: "steps", got: count("count(*)", isObserved), want: want.steps },
    { name: "actions", got: main.toolCalls, want: want.steps },
    { name: "maxObservationBytes", got: count("coalesce(max(bytes), 0)", isObserved), want: want.maxObservationBytes },
    { name: "api_calls", got: main.modelCalls.own, want: stats.api_calls ?? 0 },
    { name: "history", got: system + user + tool + assistant, want: want.history },
    { name: "history.system", got: count("count(*)", "type = 'system'"), want: system },
    {
      name: "history before",
      got: count("count(*)", `type = 'user' AND NOT ${isObserved}`),
      want: promptsIn(imported.path),
    },
    { name: "exitStatus", got: note("exit"), want: want.exitStatus },
    { name: "tokens_sent", got: reported?.usage.inputUncached ?? 0, want: stats.tokens_sent ?? 0 },
    { name: "tokens_received", got: reported?.usage.output ?? 0, want: stats.tokens_received ?? 0 },
    { name: "instance_cost", got: reported?.usd ?? 0, want: stats.instance_cost ?? 0 },
    {
      name: "replay_config",
      got: note("session").includes("Replay configuration") ? "dict" : "NoneType",
      want: want.replayConfigType,
    },
  ];
}

/** Messages of a user before the first answer, in the file itself. */
function promptsIn(path: string): number {
  const { history } = JSON.parse(readFileSync(path, "utf8")) as { history: { role: string }[] };
  return history
    .slice(
      0,
      history.findIndex(({ role }) => role === "assistant"),
    )
    .filter(({ role }) => role === "user").length;
}
