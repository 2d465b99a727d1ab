// A laptop that is followed, and what its person does there: after each send the node that read all of them has the session as the
// laptop has it, and as a node that begins with nothing.
import fc from "fast-check";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { deleteArtifact } from "#lib/archive/artifacts/delete-artifact.ts";
import type { Archive } from "#lib/archive/base/archive-type.ts";
import { findSession } from "#lib/archive/base/find-session.ts";
import { catalogueSession } from "#lib/archive/exports/catalogue-session.ts";
import { importPaths } from "#lib/archive/import/import-paths.ts";
import { judgeSession } from "#lib/archive/load/compute-verdict.ts";
import { compactSession, undoCompaction } from "#lib/archive/memory/compact.ts";
import { listCompactions } from "#lib/archive/memory/compaction-rows.ts";
import { changeMemory, memoryOf } from "#lib/archive/memory/session-memory.ts";
import { listMarks, setMark } from "#lib/archive/settings/marks.ts";
import { isAppError } from "#lib/kernel/errors.ts";
import { inFolder, put, withArchive } from "#lib/archive/testing-archive.ts";
import { compactRequest, memoryChange } from "#lib/wire/memory-schema.ts";
import { markRequest } from "#lib/wire/marks-schema.ts";
import type { Fleet } from "./open-fleet.ts";
import { sendSessions } from "./send-sessions.ts";
import { openTestFleet, sessionRecords, skippedFor, testFleet } from "./testing-fleet.ts";
import { readAll, SENDING, testNode, withDoor } from "./testing-sender.ts";

const found = await testFleet();
const PERSON = { by: "person", who: "ann" } as const;

/** What somebody does at the laptop; `n` chooses among what is there. */
const DEED = fc.record({
  does: fc.constantFrom(
    "goes on",
    "rewrites",
    "begins a sub-agent",
    "forks",
    "star",
    "unstar",
    "label",
    "note",
    "remember",
    "edit",
    "forget",
    "plan",
    "undo",
    "delete output",
  ),
  n: fc.nat(4),
});

describe.skipIf("missing" in found)(`sessions of a laptop that is followed${skippedFor(found)}`, () => {
  let fleet: Fleet;
  let serial = 0;
  beforeAll(async () => {
    fleet = await openTestFleet((found as Extract<typeof found, { address: object }>).address);
  });
  afterAll(() => fleet.close());

  test("are on a node as they are there, whatever a person does", { timeout: 240_000 }, () =>
    fc.assert(
      fc.asyncProperty(fc.array(DEED, { minLength: 3, maxLength: 8 }), (deeds) =>
        inFolder((dir) =>
          withArchive(join(dir, "laptop"), (laptop) =>
            withArchive(join(dir, "one"), async (one) => {
              const native = `0a1b2c3d-0000-4000-8000-${String(++serial).padStart(12, "0")}`;
              const prompts = ["mend the net", "and the rope"];
              const files = new Map<string, () => object[]>([[`${native}.jsonl`, () => records(native, prompts)]]);
              const write = async (): Promise<void> => {
                for (const [name, file] of files)
                  put(
                    join(dir, "logs"),
                    name,
                    file()
                      .map((one) => `${JSON.stringify(one)}\n`)
                      .join(""),
                  );
                await importPaths(laptop, [join(dir, "logs")]);
              };
              await write();
              const id = laptop.sqlite.prepare("SELECT id FROM sessions WHERE earlier IS NULL").pluck().get() as string;
              const node = testNode(fleet, one);
              const send = async (): Promise<void> => {
                await withDoor(node, (to) => sendSessions(laptop, { ...SENDING, to }));
                await readAll(fleet, one);
              };
              await send();
              for (const deed of deeds) {
                // A deleted item cannot be edited.
                await act(laptop, id, deed, { native, prompts, files, write }).catch(
                  (error: unknown) => isAppError(error) || Promise.reject(error as Error),
                );
                await send();
                const here = await stateOf(laptop);
                expect(await stateOf(one), deed.does).toEqual(here);
                await withArchive(join(dir, `fresh-${deeds.indexOf(deed)}`), async (fresh) => {
                  const other = testNode(fleet, fresh);
                  for (const one of Object.keys(here)) await other.ensure(one, "all");
                  expect(await stateOf(fresh), `${deed.does}, fresh`).toEqual(here);
                  await other.close();
                });
              }
              await node.close();
            }),
          ),
        ),
      ),
      { numRuns: 3 },
    ),
  );
});

/** Each prompt is followed by a call whose output is stored. */
function records(native: string, prompts: readonly string[]): object[] {
  const all = sessionRecords(native, "/home/user/dock", prompts);
  return all.flatMap((record, n) => {
    if (n % 2 === 0) return [record];
    const { message, ...shared } = record as { message: { content: object[] }; uuid: string };
    const id = `toolu_${n}`;
    return [
      {
        ...shared,
        message: { ...message, content: [{ type: "tool_use", id, name: "Bash", input: { command: `ls ${n}` } }] },
      },
      {
        ...{ ...shared, type: "user", uuid: `${shared.uuid}-r`, requestId: undefined },
        message: {
          role: "user",
          content: [{ type: "tool_result", tool_use_id: id, content: `${n} planks of oak\n`.repeat(3000) }],
        },
      },
    ];
  });
}

type Act = {
  readonly native: string;
  readonly prompts: string[];
  readonly files: Map<string, () => object[]>;
  readonly write: () => Promise<void>;
};

async function act(
  laptop: Archive,
  id: string,
  { does, n }: { readonly does: string; readonly n: number },
  { native, prompts, files, write }: Act,
): Promise<void> {
  const mark = (request: object): Promise<unknown> => setMark(laptop, id, markRequest.parse(request));
  const change = (request: object): Promise<unknown> => changeMemory(laptop, id, memoryChange.parse(request), PERSON);
  const memory = await memoryOf(laptop, id);
  const item = memory.items[n % Math.max(1, memory.items.length)];
  switch (does) {
    case "goes on":
      prompts.push(`paint buoy ${prompts.length}`);
      return write();
    case "rewrites":
      prompts[n % prompts.length] = `scrape hull ${n}`;
      return write();
    case "begins a sub-agent": {
      const agent = `a${n % 2}`;
      const own = Array.from({ length: n + 1 }, (_, at) => `look at pier ${at}`);
      files.set(`${native}/subagents/agent-${agent}.jsonl`, () =>
        sessionRecords(native, "/home/user/dock", own).map((record) => ({
          ...named(record, agent),
          isSidechain: true,
          agentId: agent,
        })),
      );
      return write();
    }
    case "forks": {
      const fork = native.replace(/^0a1b2c3d/, `0a1b2c4${n % 2}`);
      const own = [...prompts, `from here ${n}`];
      files.set(`${fork}.jsonl`, () => records(native, own).map((record) => ({ ...record, sessionId: fork })));
      return write();
    }
    case "star":
      return void (await mark({ kind: "star" }));
    case "unstar":
      return void (await mark({ kind: "star", on: false }));
    case "label":
      return void (await mark({ kind: "label", value: `l${n % 2}`, on: n < 3 }));
    case "note":
      return void (await mark({ kind: "note", value: `see ${n}`, seq: n % 2 === 0 ? null : 2 }));
    case "remember":
      return void (await change({
        do: "add",
        kind: "semantic",
        text: `Oak ${n}`,
        category: null,
        salience: 0,
        tags: [],
        seqs: [2],
      }));
    case "edit":
      return item === undefined ? undefined : void (await change({ do: "edit", id: item.id, text: `Ash ${n}` }));
    case "forget":
      return item === undefined ? undefined : void (await change({ do: "delete", id: item.id }));
    case "plan":
      return void (await compactSession(laptop, id, compactRequest.parse({ tail: 1, dryRun: false })));
    case "undo": {
      const plan = (await listCompactions(laptop, id)).compactions.find(({ undoneAt }) => undoneAt === null);
      return plan === undefined ? undefined : void (await undoCompaction(laptop, plan.id));
    }
    case "delete output": {
      const live = laptop.sqlite
        .prepare("SELECT pointer FROM artifacts WHERE deleted_at IS NULL ORDER BY pk")
        .pluck()
        .all() as string[];
      return live.length === 0 ? undefined : void (await deleteArtifact(laptop, live[n % live.length]!));
    }
  }
}

/** Records of a sub-agent have names of their own. */
const named = (record: object, agent: string): object =>
  JSON.parse(
    JSON.stringify(record).replaceAll(/"(uuid|parentUuid|id|requestId)":"([^"]*)"/g, `"$1":"$2-${agent}"`),
  ) as object;

/** What the lists, searches and pages of all sessions are made of. */
async function stateOf(archive: Archive): Promise<object> {
  const ids = archive.sqlite
    .prepare("SELECT id FROM sessions WHERE earlier IS NULL ORDER BY id")
    .pluck()
    .all() as string[];
  const states: Record<string, object> = {};
  for (const id of ids) {
    await judgeSession(archive, findSession(archive, id));
    const { row, artifacts, texts, marks, ...catalogued } = await catalogueSession(archive, id);
    const all = { artifacts: [] as object[], texts: [] as object[] };
    for (const some of artifacts()) all.artifacts.push(...some);
    for await (const part of texts()) all.texts.push(...part.texts);
    const { version: _, ...memory } = await memoryOf(archive, id);
    states[id] = {
      row: { ...row, status: null },
      ...catalogued,
      ...all,
      memory,
      marks,
      listed: listMarks(archive, id).marks,
    };
  }
  return states;
}
