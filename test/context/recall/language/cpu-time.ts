/** Milliseconds of processor time that this process has used: what other processes do at the same time does not count. */
export const cpuTime = (): number => process.cpuUsage().user / 1000
