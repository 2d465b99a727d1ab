// `npm run bench`: speed and size against their targets, printed as one table. What is compared is measured in the same run,
// in turns, because machines are busy. Options: --full (2 GB of sessions, one file of 1 GB), --only WORD (start, import, formats, append,
// large, blob, readers, artifacts, jobs, hook, library, mcp, otlp, proxy, waits, lists, search, usage, handover, compaction, recall, memory, load, pages, log, table, playground, fleet; repeatable), --runs N.
// Of the fleet: --sessions N (a million otherwise), --part WORD (send, memory, append, catalogue), --keep FOLDER (its database stays there).
// Of the formats: --part ID (claude-code, inspect, ...).
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { cpus, totalmem } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { artifactRows } from "./bench/artifact-rows.ts";
import { compactionRows } from "./bench/bench-compaction.ts";
import { copyRows } from "./bench/copy-rows.ts";
import { appendRows, blobRows, importRows, largeRows } from "./bench/import-rows.ts";
import { leaveRows } from "./bench/leave-rows.ts";
import { formatRows } from "./bench/format-rows.ts";
import { fleetRows } from "./bench/fleet-rows.ts";
import { hookRows } from "./bench/hook-rows.ts";
import { jobRows } from "./bench/job-rows.ts";
import { listRows } from "./bench/list-rows.ts";
import { libraryRows } from "./bench/library-rows.ts";
import { loadRows } from "./bench/load-rows.ts";
import { ensureBuild } from "./build.mjs";
import { ensureBundle } from "./bundle.mjs";
import { ROOT } from "./bench/measure-run.ts";
import { mcpRows } from "./bench/mcp-rows.ts";
import { memoryRows } from "./bench/memory-rows.ts";
import { otlpRows } from "./bench/otlp-rows.ts";
import { pageRows } from "./bench/page-rows.ts";
import { closeBrowser } from "./bench/bench-pages.ts";
import { playgroundRows } from "./bench/playground-rows.ts";
import { proxyRows } from "./bench/proxy-rows.ts";
import { readerRows } from "./bench/reader-rows.ts";
import { recallRows } from "./bench/bench-recall.ts";
import { searchRows } from "./bench/search-rows.ts";
import { startRows } from "./bench/start-rows.ts";
import { statuslineRows } from "./bench/statusline-rows.ts";
import { formatTable, type Row } from "./bench/table.ts";
import { yearRows } from "./bench/year-rows.ts";
import { viewerJsonRows } from "./bench/viewer-json-rows.ts";
import { viewerLogRows } from "./bench/viewer-log-rows.ts";
import { waitRows } from "./bench/wait-rows.ts";
import { viewerTableRows } from "./bench/viewer-table-rows.ts";

const { values } = parseArgs({
  options: {
    ...{
      full: { type: "boolean" },
      only: { type: "string", multiple: true },
      runs: { type: "string" },
    },
    ...{
      sessions: { type: "string" },
      part: { type: "string" },
      keep: { type: "string" },
    },
  },
});
const runs = Math.max(1, Number(values.runs ?? 3));
const isFull = values.full === true;
const fleetOptions = {
  sessions: Number(values.sessions ?? 1_000_000),
  part: values.part ?? null,
  folder: values.keep ?? null,
};

type Measure = (work: string) => Promise<Row[]>;

/** What is measured is the server with its pages. */
const built =
  (measure: Measure): Measure =>
  async (work) => {
    await ensureBuild(process.execPath);
    return measure(work);
  };

const PARTS: readonly (readonly [name: string, measure: Measure])[] = [
  ["start", built((work) => startRows(work, runs))],
  ["import", (work) => importRows(work, runs)],
  ["formats", (work) => formatRows(work, runs, fleetOptions.part)],
  ["append", (work) => appendRows(work)],
  ["copies", (work) => copyRows(work)],
  ["large", (work) => largeRows(work, isFull)],
  ["blob", (work) => blobRows(work, runs)],
  ["readers", (work) => readerRows(work)],
  ["artifacts", (work) => artifactRows(work, runs, isFull)],
  ["jobs", (work) => jobRows(work, runs)],
  ["hook", hookRows],
  ["library", libraryRows],
  ["mcp", mcpRows],
  ["otlp", otlpRows],
  ["proxy", proxyRows],
  ["statusline", statuslineRows],
  ["waits", built(waitRows)],
  ["lists", (work) => listRows(work)],
  ["search", searchRows],
  ["usage", built(yearRows)],
  ["handover", (work) => leaveRows(work, runs)],
  ["compaction", (work) => compactionRows(work, runs)],
  ["recall", (work) => recallRows(work)],
  ["memory", (work) => memoryRows(work, runs)],
  ["load", built((work) => loadRows(work, runs))],
  ["pages", built(pageRows)],
  ["log", built(viewerLogRows)],
  ["json", built(viewerJsonRows)],
  ["table", built(viewerTableRows)],
  ["playground", built(playgroundRows)],
  ["fleet", (work) => fleetRows(work, fleetOptions)],
];

// Commands and servers are measured as they are shipped.
await ensureBundle();
const cache = join(ROOT, ".cache");
mkdirSync(cache, { recursive: true });
const work = mkdtempSync(join(cache, "bench-"));
// The fleet's database has a user of its own, who reads what lies in it.
chmodSync(work, 0o755);
const rows: Row[] = [];
try {
  for (const [name, measure] of PARTS) {
    if (values.only !== undefined && !values.only.includes(name)) continue;
    console.error(`${name} …`);
    // Removing thousands of files slows the disk for what is measured next, so it waits for the end.
    rows.push(...(await measure(join(work, name))));
  }
} finally {
  await closeBrowser();
  rmSync(work, { recursive: true, force: true });
}
console.log(
  `${cpus().length} processors (${cpus()[0]?.model.trim()}), ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}; medians of ${runs}\n`,
);
console.log(formatTable(rows));
process.exitCode = rows.some((row) => row.verdict === "missed") ? 1 : 0;
