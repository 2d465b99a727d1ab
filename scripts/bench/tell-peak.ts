// Loaded before a program (--import): when it ends, the most memory that it ever held (bytes) and the time of the processor that it
// took (milliseconds) go to descriptor 3.
import { writeSync } from "node:fs";

process.on("exit", () => {
  const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();
  writeSync(3, `${maxRSS * 1024} ${(userCPUTime + systemCPUTime) / 1000}`);
});
