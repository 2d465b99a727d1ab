// Runs the properties of scripts/long for as long as is asked: `node scripts/long.ts [--seconds 60] [--seed N] [NAME…]`.
// A failure prints the smallest case and the seed that brings it back.
import { parseArgs } from "node:util";
import fc from "fast-check";
import { PROPERTIES } from "./long/index.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { seconds: { type: "string", default: "60" }, seed: { type: "string" } },
});
const seconds = Number(values.seconds);
const chosen = PROPERTIES.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
if (chosen.length === 0 || !(seconds > 0)) {
  console.error(`Properties: ${PROPERTIES.map(({ name }) => name).join(", ")}. Seconds are a number above 0.`);
  process.exit(2);
}
let failed = 0;
for (const { name, says, property, count } of chosen) {
  const seed = values.seed === undefined ? Date.now() % 2 ** 31 : Number(values.seed);
  const result = await fc.check(property(), {
    seed,
    numRuns: Number.MAX_SAFE_INTEGER,
    interruptAfterTimeLimit: seconds * 1000,
    markInterruptAsFailure: false,
  });
  const isSound = !result.failed || (result.interrupted && result.counterexample === null);
  console.log(
    `${isSound ? "holds" : "FAILS"}  ${name}: ${result.numRuns} runs, ${count === undefined ? "" : `${count()}, `}seed ${result.seed}. ${says}`,
  );
  if (isSound) continue;
  failed++;
  console.log(fc.defaultReportMessage(result as fc.RunDetails<unknown>));
  console.log(result.errorInstance instanceof Error ? result.errorInstance.stack : String(result.errorInstance));
}
process.exitCode = failed > 0 ? 1 : 0;
