import { expect, test } from "vitest";
import { answer, asks, jsonl, prompt, result, SESSION, text } from "#lib/formats/claude-code/testing-claude.ts";
import { forksAnswer } from "#lib/wire/forks-schema.ts";
import { importPaths } from "../import/import-paths.ts";
import { inArchive, put } from "../testing-archive.ts";
import { identicalForks } from "./identical-forks.ts";

/** A parent that starts a sub-agent for each of these answers, and the files of those. */
function family(logs: string, answers: readonly string[]): void {
  const starts = answers.map((_, at) => asks(`t${at}`, "Task", { description: "Sound the bay", prompt: "Sound" }));
  put(
    logs,
    `${SESSION}.jsonl`,
    jsonl(
      prompt("p", 0, "Sound the bay"),
      ...starts.map((block, at) => answer(`c${at}`, 1, "call", block)),
      ...answers.map((said, at) => result(`r${at}`, 10 + at, `t${at}`, said)),
    ),
  );
  for (const [at, said] of answers.entries()) {
    const side = { isSidechain: true, agentId: `a${at}` };
    put(
      logs,
      `${SESSION}/subagents/agent-a${at}.jsonl`,
      jsonl(
        prompt(`ap${at}`, 2 + at, "Sound", side),
        answer(`aa${at}`, 3 + at, `agent ${at}`, text(said), { more: side }),
      ),
    );
    put(
      logs,
      `${SESSION}/subagents/agent-a${at}.meta.json`,
      JSON.stringify({ agentType: "sounder", description: "Sound the bay", toolUseId: `t${at}` }),
    );
  }
}

const groupsOf = (answers: readonly string[]) =>
  inArchive(async (archive, logs) => {
    family(logs, answers);
    await importPaths(archive, [logs]);
    const { groups } = forksAnswer.parse(await identicalForks(archive, `claude-code:${SESSION}`));
    return groups.map(({ forks, events }) => ({ seqs: forks.map(({ seq }) => seq), events }));
  });

test("sub-agents that did the same are one group, whatever their ids and times", async () => {
  expect(await groupsOf(["Nine fathoms", "Nine fathoms", "Four fathoms", "Nine fathoms"])).toEqual([
    { seqs: [2, 3, 5], events: 2 },
  ]);
});

test("two groups stand in the order of their calls; one of a kind is in none", async () => {
  expect(await groupsOf(["a", "b", "c", "b", "a"])).toEqual([
    { seqs: [2, 6], events: 2 },
    { seqs: [3, 5], events: 2 },
  ]);
  expect(await groupsOf(["a", "b"])).toEqual([]);
});
