// What comes to a position in a program: the program runs on its inputs in jq's own thread, and the values that reached the
// position are told as a shape.
import { stat } from "node:fs/promises";
import { LIMITS } from "#lib/kernel/limits.ts";
import { PROBE_DEFINITIONS, readProbe } from "#lib/kernel/jq/probe.ts";
import type { JqProbe, ProbeAnswer } from "#lib/wire/playground-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { inputsOf, type RunAsker, type RunInputs } from "./inputs.ts";
import { jqOptionsOf } from "./run-jq.ts";

/**
 * No nodes when no value is known: the inputs are too large to be read at each key, the program fails before, or nothing
 * comes there. What came until the deadline counts. Fails as inputsOf does.
 */
export async function runProbe(
  archive: Archive,
  probe: JqProbe,
  asker: RunAsker,
  deadlineMs: number = LIMITS.jqProbeMs,
): Promise<ProbeAnswer> {
  const inputs = await inputsOf(archive, probe.inputs, asker);
  if ((await wholeBytes(inputs, probe.options.slurp)) > LIMITS.jqProbeInputBytes) return { nodes: [], isAll: false };
  const answer = await archive.jobs.jq({
    inputs: inputs.sources,
    program: `${PROBE_DEFINITIONS} ${probe.program}`,
    options: jqOptionsOf(probe.options),
    stderrLines: LIMITS.jqProbeValues,
    limits: {
      deadlineMs,
      memoryBytes: LIMITS.jqMemoryBytes,
      outputBytes: LIMITS.jqPersonShownBytes,
    },
    ...(asker.signal !== undefined && { signal: asker.signal }),
  });
  const nodes = readProbe(answer.output);
  return { nodes, isAll: answer.ok && !answer.truncated && (nodes[0]?.count ?? 0) < LIMITS.jqProbeValues };
}

/** Of what must be read before the first value comes; of JSON lines that is one line. */
async function wholeBytes({ sources }: RunInputs, isSlurped: boolean): Promise<number> {
  const sizes = sources
    .filter(({ isJsonLines }) => isSlurped || isJsonLines !== true)
    .map(async ({ path, text }) => (path === undefined ? Buffer.byteLength(text) : (await stat(path)).size));
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}
