// The writing commands that the command line hands to the server which holds the writer lock, by name. Each checks what it
// is given: the command line of another version may have sent it.
import { z } from "zod";
import type { Archive } from "#lib/archive/base/archive-type.ts";
import { attachDirectory } from "#lib/archive/memory/attach-directory.ts";
import { deleteSessionArtifacts } from "#lib/archive/artifacts/end-session.ts";
import { closeTurn, createSession } from "#lib/archive/artifacts/create-session.ts";
import { compactSession, undoCompaction } from "#lib/archive/memory/compact.ts";
import { createToken, revokeToken } from "#lib/archive/settings/access-tokens.ts";
import { write } from "#lib/archive/base/write.ts";
import { fail } from "#lib/kernel/errors.ts";
import { attachRequest } from "#lib/wire/attached-schema.ts";
import { calibrateRequest } from "#lib/wire/calibration-schema.ts";
import { createSessionRequest } from "#lib/wire/held-schema.ts";
import { compactRequest } from "#lib/wire/memory-schema.ts";
import { recallNotes } from "#lib/wire/recall-schema.ts";
import { gcRequest } from "#lib/wire/retention-schema.ts";
import { importRequest, type ImportAnswer } from "#lib/wire/sources-schema.ts";
import { createTokenRequest, revokeTokenRequest } from "#lib/wire/tokens-schema.ts";
import { readNotes } from "#lib/wire/tools-schema.ts";
import { addReadsWrite } from "#lib/archive/artifacts/reading-rows.ts";
import { addRecallWrite } from "#lib/archive/memory/recall-rows.ts";

export type CommandGround = {
  readonly archive: Archive;
  /** Imports files, and resolves when all were read. */
  import(paths: string[]): Promise<ImportAnswer>;
  /** Runs a long work of lib/archive/long-jobs.ts in the thread that writes. */
  work(name: string, wish: object): Promise<unknown>;
};

type Run = (ground: CommandGround, body: unknown) => Promise<unknown>;

export const SERVER_COMMANDS: Readonly<Record<string, Run>> = {
  import: (ground, body) => ground.import(importRequest.parse(body).paths),
  attach: ({ archive }, body) => attachDirectory(archive, attachRequest.parse(body).path),
  check: (ground) => ground.work("rebuild", {}),
  calibrate: (ground, body) => ground.work("calibrate", calibrateRequest.parse(body)),
  gc: (ground, body) => ground.work("gc", gcRequest.parse(body)),
  "note-reads": ({ archive }, body) => write(archive, addReadsWrite, readNotes.parse(body)),
  "note-recalls": ({ archive }, body) => write(archive, addRecallWrite, recallNotes.parse(body)),
  compact: ({ archive }, body) => {
    const { session, ...request } = compactRequest.extend({ session: z.string() }).parse(body);
    return compactSession(archive, session, request, { counted: true });
  },
  undo: ({ archive }, body) => undoCompaction(archive, z.strictObject({ id: z.string() }).parse(body).id),
  "session-create": ({ archive }, body) => createSession(archive, createSessionRequest.parse(body)),
  "session-close": ({ archive }, body) => {
    const { session, turn } = z.strictObject({ session: z.string(), turn: z.number().int().min(0) }).parse(body);
    return closeTurn(archive, session, turn);
  },
  end: ({ archive }, body) =>
    deleteSessionArtifacts(archive, z.strictObject({ session: z.string() }).parse(body).session),
  "token-create": ({ archive }, body) => createToken(archive, createTokenRequest.parse(body)),
  "token-revoke": ({ archive }, body) => revokeToken(archive, revokeTokenRequest.parse(body).id),
};

/** Runs a command by its name. */
export async function runServerCommand(ground: CommandGround, name: string, body: unknown): Promise<unknown> {
  const run = Object.hasOwn(SERVER_COMMANDS, name) ? SERVER_COMMANDS[name] : undefined;
  return run === undefined ? fail("unsupported", `The server has no command "${name}".`) : run(ground, body);
}
