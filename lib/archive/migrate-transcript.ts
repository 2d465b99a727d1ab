// OpenClaw transcripts hold tool results inside: this takes them out into artifacts beside the transcript.
import { migrateSession, type MigrationReport } from "#lib/agent-dirs/openclaw/migrate-session.ts";

export type { MigrationReport };

/** Migrates a transcript in place, with a backup beside it. The report says why nothing was done. */
export const migrateTranscript = (
  sessionFile: string,
  options: { readonly artifactsDir?: string; readonly sessionKey?: string } = {},
): Promise<MigrationReport> => migrateSession({ sessionFile, ...options, host: { now: Date.now } });
