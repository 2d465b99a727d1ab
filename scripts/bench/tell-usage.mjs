// Loaded before a program (--import): when it ends, what it took goes to descriptor 3. No TypeScript: that would be measured too.
import { writeSync } from "node:fs";

process.on("exit", () => {
  const { user, system } = process.cpuUsage();
  writeSync(3, JSON.stringify({ cpuMs: (user + system) / 1000, peakBytes: process.resourceUsage().maxRSS * 1024 }));
});
