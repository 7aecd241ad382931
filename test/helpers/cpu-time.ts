/**
 * Returns the processor time that `work` takes in milliseconds. Unlike the time on a clock, it hardly grows when other
 * programs use the processors too.
 */
export function cpuMs(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
