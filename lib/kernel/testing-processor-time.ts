/** Milliseconds of processor time that work took: what else runs on the machine makes it wait, and does not count. */
export function processorMs(work: () => void): number {
  const startedAt = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(startedAt);
  return (user + system) / 1000;
}
