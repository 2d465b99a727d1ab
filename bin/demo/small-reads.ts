// The same job, done with questions that have short answers: counts, sums, a few lines.
import { PROJECT, type ToolUse, type Tools } from "./tools.ts";
import { fileOf, Recorder, type DemoFile, type Picture } from "./recorder.ts";
import { AGENT, FIRST_WORDS, INSTRUCTIONS, planAt, QUALITY } from "./phrases.ts";

type Given = {
  readonly tools: Tools;
  readonly picture: Picture;
  readonly count: (text: string) => number;
  readonly at: number;
};

const ID = "demo-small-reads";

export function smallReads({ tools, picture, count, at }: Given): DemoFile[] {
  const log = `${PROJECT}/demo-data/import.log`;
  const settings = `${PROJECT}/demo-data/settings.json`;
  const limits = `${PROJECT}/lib/kernel/limits.ts`;
  const title = "The same job with small reads";
  const header = {
    id: ID,
    title,
    titleRank: 2 as const,
    agent: AGENT,
    cwd: PROJECT,
    branch: "main",
    demo: true,
    quality: QUALITY,
  };
  const agent = new Recorder({ header, at, count });
  const todos = (done: number): ToolUse => tools.todo(planAt(done));

  agent.system(INSTRUCTIONS);
  agent.user(FIRST_WORDS, 0, picture);
  agent.answer({
    think: "The log may be long. I ask how long it is before I read any of it.",
    say: "I look at how much there is before I read it.",
    use: [
      todos(0),
      tools.list(`${PROJECT}/demo-data`),
      tools.shell("wc -l demo-data/import.log", "Count the lines of the log"),
    ],
  });
  agent.answer({
    say: "More than a thousand lines: I ask the timings for sums by step instead.",
    use: [
      tools.query(
        "SELECT day, step, sum(count) AS count, sum(ms) AS ms FROM steps WHERE step IN ('parse', 'flush') GROUP BY day, step ORDER BY day, step",
      ),
    ],
  });
  agent.answer({
    think:
      "parse is steady; flush grows with its count from the 13th on. Something changed that day: a warning would say so.",
    say: "`flush` is the step, since 13 January, and only because there are more of them. I look for warnings.",
    use: [todos(1), tools.grep("WARN|ERROR", log, 10)],
  });
  agent.answer({
    say: "`import.batchBytes` went from 8,388,608 to 65,536. I read the setting, and where the code says what is usual.",
    use: [
      tools.grep("batchBytes", settings),
      tools.grep("batchBytes:", limits),
      tools.shell("node demo-data/check.mjs", "Check the settings before the repair"),
    ],
  });
  agent.answer({
    say: "The check fails. I put the old value back.",
    use: [todos(2), tools.edit(settings, '"batchBytes": 65536', '"batchBytes": 8388608')],
  });
  agent.answer({ use: [tools.shell("node demo-data/check.mjs", "Check the settings after the repair"), todos(3)] });
  agent.answer({
    say: "It passes. Do the flushes explain the time of every day?",
    use: [
      tools.query(
        "SELECT day, round(1.0 * sum(ms) / sum(count)) AS ms_per_flush FROM steps WHERE step = 'flush' GROUP BY day",
      ),
    ],
  });
  agent.answer({
    say: `**Cause.** On 13 January \`import.batchBytes\` in \`settings.json\` went from 8 MB to 64 KB. Each batch waits 41 ms for the disk, so a file of 10 MB waited 153 times instead of twice.

**Repair.** The old value is back; \`node demo-data/check.mjs\` passes.

**All days are explained**: a flush takes 41 ms on each of them, only their number changed.`,
  });
  agent.user("Thank you. Please tell me how you knew where to look.", 61_000);
  agent.answer({
    say: "I asked for sums before rows. The sums by day and step showed one step that had grown, and its count had grown as much; then one search for warnings showed what had changed that day.",
  });
  return [fileOf(`${ID}.plimsoll.jsonl`, agent)];
}
