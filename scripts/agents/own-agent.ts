// An agent of ours, one turn a process: `node own-agent.ts JOB TURN`. It asks its memory for each request, sends it to the model,
// runs what the model asks for, and notes every request as it was assembled.
import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { httpMemory } from "./own-http-memory.ts";
import { libraryMemory } from "./own-library-memory.ts";
import type { OwnJob, OwnTurn } from "./own-types.ts";
import { askModel, OWN_WIRES } from "./own-wires.ts";

const [, , jobFile, turnText] = process.argv;
const job = JSON.parse(readFileSync(jobFile!, "utf8")) as OwnJob;
const turn = Number(turnText);
await runTurn(job.turns[turn]!);

async function runTurn(given: OwnTurn): Promise<void> {
  const memory = await (job.door === "library" ? libraryMemory : httpMemory)(job);
  try {
    if (given.undoes === true) await memory.undo();
    await memory.begin(given.says, given.image === true);
    for (;;) {
      const assembled = await memory.next();
      appendFileSync(join(job.folder, "assembled.jsonl"), `${JSON.stringify({ turn, ...assembled })}\n`);
      const answer = await askModel(OWN_WIRES[job.as], job.modelUrl, job.model, assembled.request);
      await memory.answered(answer);
      if (answer.calls.length === 0 || given.leaves === true) return;
      await memory.run(answer.calls);
    }
  } finally {
    memory.close();
  }
}
