// Real sessions, and the fixtures of all formats, replayed: at several of their calls the context is rendered in each provider's
// form, and held against that provider's rules. Figures are printed with `--silent=false`.
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { scalar } from "#db/statement.ts";
import { listRuns } from "#lib/agent-dirs/autobyteus/directory-paths.ts";
import { render } from "#lib/kernel/context/render.ts";
import { RENDERERS } from "#lib/kernel/context/renderers/index.ts";
import { REQUESTS } from "#lib/kernel/context/renderers/testing-schemas.ts";
import type { Archive } from "../base/archive-type.ts";
import { allCompactionsOf, callsOf } from "../base/session-rows.ts";
import { importPaths } from "../import/import-paths.ts";
import { inArchive } from "../testing-archive.ts";
import { attachDirectory } from "./attach-directory.ts";
import { withSealedItems } from "./sealed-items.ts";
import { contextAtPosition, contextPayload, positionOf } from "./context.ts";
import { lastSeqOf } from "./context-rows.ts";
import { imageUrls } from "./context-texts.ts";

const root = join(import.meta.dirname, "../../..");
const DATA = join(root, "../shared/data");
const hasData = existsSync(DATA);
if (!hasData) console.warn(`replayed-requests.test.ts: ${DATA} is absent; no real session is replayed.`);

/** First, fullest and last call, the first after each of the first compactions, and the end of the log. */
function positionsOf(archive: Archive, pk: number): number[] {
  const calls = callsOf(archive, pk);
  const prompt = (one: (typeof calls)[number]): number => one.uncached + one.cacheRead + one.cacheWrite;
  const cut = allCompactionsOf(archive, pk).slice(0, 3);
  const chosen = [
    calls[0],
    calls.toSorted((a, b) => prompt(b) - prompt(a))[0],
    ...cut.map(({ seq }) => calls.find(({ firstSeq }) => firstSeq > seq)),
    calls.at(-1),
  ];
  return [...new Set([...chosen.flatMap((call) => call?.firstSeq ?? []), lastSeqOf(archive, pk)])];
}

/** Renders every session at its positions; how many requests there were, and which a provider would refuse. */
async function replay(archive: Archive): Promise<{ readonly requests: number; readonly refused: readonly string[] }> {
  const refused: string[] = [];
  let requests = 0;
  for (const pk of scalar(archive.sqlite, "sessions.pk", "FROM sessions").all()) {
    const id = scalar(archive.sqlite, "sessions.id", "FROM sessions WHERE pk = ?").get(pk)!;
    for (const at of lastSeqOf(archive, pk) === 0 ? [] : positionsOf(archive, pk)) {
      const { log, repair } = await contextAtPosition(archive, pk, positionOf(archive, pk, at).upTo);
      const urls = await imageUrls(archive, log.rows);
      for (const { id: as } of RENDERERS) {
        requests++;
        const messages =
          as === "openai-responses" ? withSealedItems(archive, pk, log, repair.messages) : repair.messages;
        const { request } = render(messages, as, { mediaOf: (url) => urls.get(url) ?? null });
        const text = JSON.stringify(request);
        const read = REQUESTS[as]!.safeParse(JSON.parse(text));
        if (!read.success) refused.push(`${id} at ${at} as ${as}: ${read.error.message.slice(0, 400)}`);
        // One form a position is asked for as pages and agents do: the same bytes.
        if (as === RENDERERS[at % RENDERERS.length]!.id)
          expect((await contextPayload(archive, id, { at, as })).json).toBe(text);
      }
    }
  }
  return { requests, refused };
}

test("fixtures of all formats: each provider takes the request of each chosen call", () =>
  inArchive(async (archive) => {
    const folder = join(root, "lib/formats/fixtures");
    await importPaths(
      archive,
      readdirSync(folder).map((name) => join(folder, name)),
    );
    const { requests, refused } = await replay(archive);
    console.log(`fixtures: ${requests} requests`);
    expect(refused).toEqual([]);
    expect(requests).toBeGreaterThan(50);
  }));

test.skipIf(!hasData)(
  "real sessions and memory folders: each provider takes the request of each chosen call",
  { timeout: 180_000 },
  () =>
    inArchive(async (archive) => {
      await importPaths(archive, [join(DATA, "claude-code"), join(DATA, "codex")]);
      for (const { path } of runsBelow(join(DATA, "autobyteus"))) await attachDirectory(archive, path);
      const { requests, refused } = await replay(archive);
      console.log(`real sessions: ${requests} requests`);
      expect(refused).toEqual([]);
      expect(requests).toBeGreaterThan(500);
    }),
);

const runsBelow = (folder: string) =>
  (existsSync(folder) ? [folder, ...readdirSync(folder).map((name) => join(folder, name))] : []).flatMap(listRuns);
