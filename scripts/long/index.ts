// Properties that run for long: each is a file of its own here, and one line below. Short runs of the same are in the tests.
import type fc from "fast-check";
import { foldersProperty } from "#lib/agent-dirs/autobyteus/testing-folders.ts";
import { firstImportProperty } from "#lib/archive/import/testing-first-import.ts";
import { interleavings } from "#lib/archive/memory/testing-interleave.ts";
import { recallProperty } from "#lib/kernel/artifacts/testing-recall.ts";
import { RENDERERS } from "#lib/kernel/context/renderers/index.ts";
import { requestProperty } from "#lib/kernel/context/testing-requests.ts";
import { interleavingsProperty } from "#lib/kernel/memory/testing-interleavings.ts";
import { repairProperty } from "#lib/kernel/log/testing-repair.ts";
import { lateProperty } from "#lib/kernel/tools/testing-late.ts";
import { aloneProperty, boundsProperty } from "#lib/tools/testing-bounds.ts";
import { damagedCount, damagedRecords } from "#lib/archive/import/testing-damaged-records.ts";
import { registryLines } from "./registry-lines.ts";
import { storeModel } from "./store-model.ts";

export type LongProperty = {
  readonly name: string;
  /** What it says, in a sentence. */
  readonly says: string;
  property(): fc.IAsyncProperty<unknown> | fc.IProperty<unknown>;
  /** What was looked at so far, where the number of runs does not say it. */
  count?(): string;
};

export const PROPERTIES: readonly LongProperty[] = [
  {
    name: "store-model",
    says: "A pointer leads to its exact bytes or to a tombstone; each content is there once; a sweep takes no bytes that live.",
    property: () => storeModel(40) as fc.IAsyncProperty<unknown>,
  },
  {
    name: "tool-bounds",
    says: "No answer of an artifact tool is over its bound, and none is ever offloaded.",
    property: boundsProperty,
  },
  {
    name: "alone",
    says: "A session is answered as if it were alone in the archive.",
    property: aloneProperty,
  },
  {
    name: "registry-lines",
    says: "A bad line of a registry is told with file and line, and nothing but that line is lost.",
    property: () => registryLines() as fc.IAsyncProperty<unknown>,
  },
  {
    name: "damaged-records",
    says: "Every format reads each whole record of a damaged file as if it stood alone.",
    property: damagedRecords,
    count: damagedCount,
  },
  {
    name: "memory-folders",
    says: "Whatever is done to a memory folder, and cut short, no line of it is lost and none that stays changes.",
    property: () => foldersProperty() as fc.IProperty<unknown>,
  },
  {
    name: "late-writes",
    says: "After a turn was closed nothing of it is written.",
    property: () => lateProperty() as fc.IAsyncProperty<unknown>,
  },
  {
    name: "repair",
    says: "Each tool call is followed by exactly one result.",
    property: () => repairProperty() as fc.IProperty<unknown>,
  },
  {
    name: "requests",
    says: "At any event of any log every provider is sent a request that it takes, each call with one result.",
    property: () => requestProperty(...RENDERERS.map(({ id }) => id)) as fc.IProperty<unknown>,
  },
  {
    name: "memory",
    says: "Whatever comes between ingest, compaction and undoing: nothing is lost or parted, and epochs never go back.",
    property: () => interleavingsProperty() as fc.IAsyncProperty<unknown>,
  },
  {
    name: "recall",
    says: "What is recalled keeps to its budgets.",
    property: () => recallProperty() as fc.IProperty<unknown>,
  },
  {
    name: "session-memory",
    says: "Whatever is told, compacted and undone in whatever order, nothing is lost, parted or cut while it waits.",
    property: () => interleavings() as fc.IAsyncProperty<unknown>,
  },
  {
    name: "first-import",
    says: "A folder is imported into a fresh archive beside a busy processor.",
    property: firstImportProperty,
  },
];
