// Histories of Aider, which grow chat by chat. All are synthetic.
import { appendFileSync } from "node:fs";
import { expect, test } from "vitest";
import { sessionsQuery } from "#lib/wire/sessions-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { findSession } from "../base/find-session.ts";
import { listSessions } from "../sessions/list-sessions.ts";
import { summaryOfSession } from "../sessions/show-session.ts";
import { inArchive, put } from "../testing-archive.ts";
import { importPaths } from "./import-paths.ts";

const chat = (time: string, prompt: string, sent: number): string =>
  `\n# aider chat started at 2026-03-01 ${time}\n\n> Aider v0.86.1  \n> Model: synthetic/tern with diff edit format  \n` +
  `\n#### ${prompt}  \n\nYes.\n\n> Tokens: ${sent} sent, 3 received. Cost: $0.01 message, $0.02 session.  \n`;

async function shown(archive: Archive) {
  const { sessions } = await listSessions(archive, sessionsQuery.parse({}));
  return sessions
    .map(({ id }) => summaryOfSession(archive, findSession(archive, id)))
    .map(({ title, parentId, peak, quality, earlierVersions, usage, cwd }) => ({
      ...{ title, parentId, earlier: earlierVersions.length, input: usage.inputUncached },
      ...{
        origin: peak.origin,
        isRounded: quality.some((one) => one.startsWith("Aider rounds")),
        cwd: cwd?.split("/").at(-1),
      },
    }))
    .toSorted((a, b) => a.input - b.input);
}

test("each chat of a history is a session, and one that grows leaves no earlier version", () =>
  inArchive(async (archive, logs) => {
    const path = put(logs, "gulls/.aider.chat.history.md", chat("10:00:00", "One?", 100));
    await importPaths(archive, [logs]);
    const own = { parentId: null, earlier: 0, origin: "counted", isRounded: true, cwd: "gulls" };
    expect(await shown(archive)).toEqual([{ ...own, title: "One?", input: 100 }]);
    appendFileSync(path, chat("11:00:00", "Two?", 200));
    await importPaths(archive, [logs]);
    appendFileSync(
      path,
      `\n#### Three?  \n\nNo.\n\n> Tokens: 300 sent, 1 received.  \n${chat("12:00:00", "Four?", 400)}`,
    );
    await importPaths(archive, [logs]);
    expect(await shown(archive)).toEqual([
      { ...own, title: "One?", input: 100 },
      { ...own, title: "Four?", input: 400 },
      { ...own, title: "Two?", input: 500 },
    ]);
  }));
