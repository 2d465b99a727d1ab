// The session that blows up: the agent reads everything whole. It is compacted once, reads the same again, repairs the
// fault, and is refused before it can say so.
import { PROJECT, type Ran, type ToolUse, type Tools } from "./tools.ts";
import { fileOf, Recorder, type Answer, type DemoFile, type Picture } from "./recorder.ts";
import { AGENT, FIRST_WORDS, INSTRUCTIONS, planAt, QUALITY } from "./phrases.ts";

type Given = {
  readonly tools: Tools;
  readonly picture: Picture;
  readonly count: (text: string) => number;
  readonly at: number;
};

const ID = "demo-whole-files";
const SCOUT = "scout";
const QUESTION = "Which code of lib/ works with batchBytes, and what is its usual value? Answer in two sentences.";

/** The session's file, and the file of the sub-agent that it starts. */
export function wholeFiles({ tools, picture, count, at }: Given): DemoFile[] {
  const header = {
    id: ID,
    title: "Reads every file whole and blows up",
    titleRank: 2 as const,
    agent: AGENT,
    cwd: PROJECT,
    branch: "main",
    demo: true,
    quality: [...QUALITY, "The prompt that was refused is weighed and priced as if it had been sent."],
  };
  const main = new Recorder({ header, at, count });
  let scout: Recorder | null = null;
  const startScout: ToolUse = {
    name: "Task",
    input: { description: "find what reads batchBytes", subagent_type: "scout", prompt: QUESTION },
    run: (): Ran => {
      scout = new Recorder({ header: scoutHeader, at: main.now, count });
      const answer = scoutRun(scout, tools);
      main.waitUntil(scout.now);
      return { text: answer, detail: { agentId: SCOUT, agentTokens: scout.tokens } };
    },
  };

  main.system(INSTRUCTIONS);
  main.user(FIRST_WORDS, 0, picture);
  if (play(main, [...firstEpoch(tools), ...secondEpoch(tools, startScout)]))
    throw new Error("The demo's first session was to end at the load line, and did not reach it.");
  return [
    fileOf(`${ID}.plimsoll.jsonl`, main),
    ...(scout === null ? [] : [fileOf(`${ID}.${SCOUT}.plimsoll.jsonl`, scout)]),
  ];
}

const scoutHeader = {
  id: `${ID}/${SCOUT}`,
  title: "Find what reads batchBytes",
  titleRank: 1 as const,
  agent: AGENT,
  cwd: PROJECT,
  relation: "subagent" as const,
  parent: ID,
  demo: true,
  quality: QUALITY,
};

function scoutRun(scout: Recorder, tools: Tools): string {
  const limits = `${PROJECT}/lib/kernel/limits.ts`;
  const answer =
    "The archive's import batches read it (LIMITS.batchBytes): a batch is committed when it is full. Its usual value is 8 MB, so a file of 10 MB takes two.";
  scout.system("You answer one question about the code in plimsoll/, briefly.");
  scout.user(QUESTION, 200);
  scout.answer({ use: [tools.grep("batchBytes", `${PROJECT}/lib`)] });
  scout.answer({ use: [tools.read(limits)] });
  scout.answer({ say: answer });
  return answer;
}

/** A person's words, a compaction, or an answer of the agent. */
type Step =
  | Answer
  | { readonly user: string; readonly afterMs: number }
  | { readonly compact: string; readonly afterMs: number };

/** False when the provider refused a prompt on the way. */
function play(main: Recorder, steps: readonly Step[]): boolean {
  for (const step of steps) {
    if ("user" in step) main.user(step.user, step.afterMs);
    else if ("compact" in step) main.compact(step.compact, step.afterMs);
    else if (main.answer(step) === null) return false;
  }
  return true;
}

const LOG = `${PROJECT}/demo-data/import.log`;
const SETTINGS = `${PROJECT}/demo-data/settings.json`;
const ALL_ROWS = "SELECT * FROM steps ORDER BY id";

/** Up to the compaction: everything is read whole. */
function firstEpoch(tools: Tools): Step[] {
  const source = (path: string): ToolUse => tools.read(`${PROJECT}/lib/${path}`);
  return [
    {
      think:
        "The picture shows two tall bars at the end. I should know the project first, then read the log from its beginning.",
      say: "I will look at the project, then at the log and the timings.",
      use: [tools.todo(planAt(0)), tools.list(`${PROJECT}/lib`), tools.list(`${PROJECT}/demo-data`)],
    },
    { say: "The log first, all of it.", use: [tools.read(LOG)] },
    {
      think:
        "Every file is flushed in batches; late in the log there are many more of them. The timings will show it per step.",
      say: "Now the timings. I take the whole table, so that nothing is missed.",
      use: [tools.query(ALL_ROWS)],
    },
    {
      say: "Most of the time goes into `flush`. I read the code that imports.",
      use: [
        tools.todo(planAt(1)),
        source("archive/import/import-paths.ts"),
        source("archive/import/import-file.ts"),
        source("archive/import/batch.ts"),
      ],
    },
    {
      use: [
        source("archive/import/session-writer.ts"),
        source("archive/import/artifact-writer.ts"),
        source("blobs/file.ts"),
      ],
    },
    {
      think:
        "A batch ends with one wait for the disk. If there were many more batches, there would be many more waits.",
      say: "Since 13 January each file is flushed far more often than before. A wait for the disk takes 41 ms, whatever the size of the batch.",
    },
    { user: "Are only the large files slow?", afterMs: 38_000 },
    {
      think: "Large and small files must be compared. I take the table again, this time ordered by size.",
      say: "I order the whole table by size and compare.",
      use: [tools.query("SELECT * FROM steps ORDER BY bytes DESC, id")],
    },
    { say: "No: every file of more than 64 KB is flushed more than once since the 13th. Large ones suffer most." },
  ];
}

/** After it: the same is read again, until nothing more fits. */
function secondEpoch(tools: Tools, startScout: ToolUse): Step[] {
  return [
    { compact: SUMMARY, afterMs: 95_000 },
    { user: "Good. Find what changed, and repair it.", afterMs: 24_000 },
    {
      think: "The summary does not say what changed. I read the log again, and ask for the code meanwhile.",
      say: "I read the log again to find the change, and let a sub-agent look for the setting in the code.",
      use: [tools.read(LOG), startScout],
    },
    {
      say: "There it is: on 13 January `import.batchBytes` went from 8,388,608 to 65,536.",
      use: [
        tools.todo(planAt(2)),
        tools.read(SETTINGS),
        tools.shell("node demo-data/check.mjs", "Check the settings before the repair"),
      ],
    },
    {
      think: "The check fails as it should: 153 flushes for 10 MB.",
      say: "The check fails. I put the old value back.",
      use: [tools.edit(SETTINGS, '"batchBytes": 65536', '"batchBytes": 8388608')],
    },
    {
      use: [tools.shell("node demo-data/check.mjs", "Check the settings after the repair"), tools.todo(planAt(3))],
    },
    { say: "Repaired: `import.batchBytes` is 8 MB again, and the check passes." },
    { user: "Thank you. Before I switch it on again: does that explain all seven days?", afterMs: 52_000 },
    {
      think: "To be sure I compare each step of each file, from the table.",
      say: "I take the whole table once more, and look at each day.",
      use: [tools.query(ALL_ROWS)],
    },
    { say: "Now the log beside it.", use: [tools.read(LOG)] },
    {
      say: "One more look at the table, ordered by time.",
      use: [tools.query("SELECT * FROM steps ORDER BY ms DESC, id")],
    },
    { say: "All seven days are explained by `import.batchBytes`." },
  ];
}

const SUMMARY = `What was done so far, in short:

- The person asks why the import of session files has been slow since 13 January. Evidence: plimsoll/demo-data (import.log, timings.db, settings.json, check.mjs).
- Read whole: the log, the table of timings (twice), six source files of the import.
- Found: opening, reading and parsing take as long as ever. The step \`flush\` takes longer: the number of flushes of a file grew, each takes 41 ms. Every file of more than 64 KB is concerned.
- Not found yet: what made the number of flushes grow.
- To do: find the change, repair it, run \`node demo-data/check.mjs\`, check that all days are explained.`;
