// Loaded before a program (--import): when it ends, the most memory that it ever held goes to descriptor 3, in bytes.
import { writeSync } from "node:fs";

process.on("exit", () => writeSync(3, String(process.resourceUsage().maxRSS * 1024)));
