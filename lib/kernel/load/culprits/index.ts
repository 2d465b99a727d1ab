// The registry of detectors.
import { cacheBreak } from "./cache-break.ts";
import { compactionThrash } from "./compaction-thrash.ts";
import { fanOut } from "./fan-out.ts";
import { memoryFile } from "./memory-file.ts";
import { oversizedOutput } from "./oversized-output.ts";
import { reRead } from "./re-read.ts";
import { reasoning } from "./reasoning.ts";
import { retryLoop } from "./retry-loop.ts";
import { staleResult } from "./stale-result.ts";
import type { Detector, DetectorId } from "./culprit-types.ts";
import { unusedSchemas } from "./unused-schemas.ts";

export const DETECT: Readonly<Record<DetectorId, Detector>> = {
  "oversized-output": oversizedOutput,
  "stale-result": staleResult,
  "re-read": reRead,
  "fan-out": fanOut,
  "unused-schemas": unusedSchemas,
  "memory-file": memoryFile,
  reasoning,
  "cache-break": cacheBreak,
  "compaction-thrash": compactionThrash,
  "retry-loop": retryLoop,
};
