/** Of this thread, where Node has it (24): garbage that others of the process collected took 9 ms in a run of all tests. */
const used = (process.threadCpuUsage ?? process.cpuUsage).bind(process);

/** Milliseconds of processor time that work took: what else runs on the machine makes it wait, and does not count. */
export function processorMs(work: () => void): number {
  const startedAt = used();
  work();
  return since(startedAt);
}

/** The same of work that is waited for. */
export async function awaitedProcessorMs(work: () => Promise<unknown>): Promise<number> {
  const startedAt = used();
  await work();
  return since(startedAt);
}

function since(startedAt: NodeJS.CpuUsage): number {
  const { user, system } = used(startedAt);
  return (user + system) / 1000;
}
