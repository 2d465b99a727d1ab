// Hand-written SQL, in order; `user_version` counts what ran. FTS5 and partial indexes cannot be told to a
// generator, and a migration that stands here never changes once it was released.
import { FIRST } from "./migration-1-first.ts";
import { ARTIFACTS } from "./migration-2-artifacts.ts";
import { LOAD } from "./migration-3-load.ts";
import { MEMORY } from "./migration-4-memory.ts";
import { PLAYGROUND } from "./migration-5-playground.ts";
import { IMPORT } from "./migration-6-import.ts";
import { JOURNAL } from "./migration-7-journal.ts";
import { USAGE } from "./migration-8-usage.ts";
import { FORMAT_VERSION } from "./migration-9-format-version.ts";
import { EARLIER_VERSIONS } from "./migration-10-earlier-versions.ts";
import { STATE } from "./migration-11-state.ts";
import { ROW_CHECKSUMS } from "./migration-12-row-checksums.ts";
import { HELD_COMPACTION } from "./migration-13-held-compaction.ts";
import { ARTIFACT_LOADS } from "./migration-14-artifact-loads.ts";
import { IDEMPOTENCY_KEYS } from "./migration-15-idempotency-keys.ts";
import { CONTINUATIONS } from "./migration-16-continuations.ts";
import { KEPT_FILES } from "./migration-17-kept-files.ts";
import { WEBHOOKS } from "./migration-18-webhooks.ts";
import { UNMATCHED } from "./migration-19-unmatched.ts";
import { MARKS } from "./migration-20-marks.ts";
import { FINDINGS } from "./migration-21-findings.ts";
import { COUNTED_SESSIONS } from "./migration-22-counted-sessions.ts";
import { NAMES_OF_OTHERS } from "./migration-23-names-of-others.ts";
import { NEAREST_SESSIONS } from "./migration-24-nearest-sessions.ts";
import { RULES } from "./migration-25-rules.ts";
import { AWAITED_OUTPUTS } from "./migration-26-awaited-outputs.ts";
import { FINDING_TIMES } from "./migration-27-finding-times.ts";
import { FILES_BESIDE } from "./migration-28-files-beside.ts";

export const MIGRATIONS: readonly string[] = [
  FIRST,
  ARTIFACTS,
  LOAD,
  MEMORY,
  PLAYGROUND,
  IMPORT,
  JOURNAL,
  USAGE,
  FORMAT_VERSION,
  EARLIER_VERSIONS,
  STATE,
  ROW_CHECKSUMS,
  HELD_COMPACTION,
  ARTIFACT_LOADS,
  IDEMPOTENCY_KEYS,
  CONTINUATIONS,
  KEPT_FILES,
  WEBHOOKS,
  UNMATCHED,
  MARKS,
  FINDINGS,
  COUNTED_SESSIONS,
  NAMES_OF_OTHERS,
  NEAREST_SESSIONS,
  RULES,
  AWAITED_OUTPUTS,
  FINDING_TIMES,
  FILES_BESIDE,
];
