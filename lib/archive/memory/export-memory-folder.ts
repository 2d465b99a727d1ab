// A session as a new memory folder of an Autobyteus agent. An attached folder goes as it is, or as the other generation; of any
// other session its traces, outputs as the model saw them, what compactions put aside, and the items of its memory.
import { scalar } from "#db/statement.ts";
import { randomUUID } from "node:crypto";
import { readDirectory } from "#lib/agent-dirs/autobyteus/directory.ts";
import { exportDirectory, type Exported, type ExportSource } from "#lib/agent-dirs/autobyteus/export-directory.ts";
import type { RawTrace } from "#lib/kernel/memory/memory-types.ts";
import type { Archive } from "../base/archive-type.ts";
import { findSession } from "../base/find-session.ts";
import { requireSameRows } from "../base/unchanged-rows.ts";
import { readMemory } from "./archive-store.ts";
import { attachedOf } from "./attached-rows.ts";
import { wholeLog } from "./context-rows.ts";
import { wholeTexts } from "./context-texts.ts";
import { tracesIn, type KeptTrace } from "./trace-rows.ts";

/** What such a folder is written from. */
export async function memoryFolderOf(archive: Archive, session: string): Promise<ExportSource> {
  const pk = findSession(archive, session);
  const attached = attachedOf(archive, pk);
  return attached === null ? folderOf(archive, pk) : readDirectory(attached.path, attached.generation);
}

/** `to` must be new or empty. */
export const exportMemoryFolder = (archive: Archive, from: ExportSource, to: string, generation: 1 | 2): Exported =>
  exportDirectory(from, to, generation, { now: () => archive.host.now(), newId: randomUUID });

async function folderOf(archive: Archive, pk: number): Promise<ExportSource> {
  const sessionId = scalar(archive.sqlite, "sessions.id", "FROM sessions WHERE pk = ?").get(pk)!;
  const memory = readMemory(archive, sessionId);
  const items = {
    episodic: memory.list("episodic"),
    semantic: memory.list("semantic"),
    snapshot: memory.readSnapshot(),
  };
  const { active, archived } = tracesIn(archive, sessionId, pk);
  // Texts are read by the numbers that the traces have now.
  const requireSame = requireSameRows(archive, pk);
  const texts = await wholeTexts(archive, wholeLog(archive, pk));
  requireSame();
  const placed = ({ seq, trace }: KeptTrace): RawTrace => {
    const text = trace.traceType === "tool_result" ? texts.get(seq) : undefined;
    if (text === undefined) return trace;
    return trace.toolError ? { ...trace, toolError: text } : { ...trace, toolResult: text };
  };
  return {
    path: sessionId,
    generation: null,
    isNewer: false,
    traces: active.map(placed),
    archived: archived.map(placed),
    ...items,
    stamps: new Map(),
    problems: [],
  };
}
