// The limits in words, in groups. A limit that is added to the table gets its sentence here (settings.test.ts).
import type { LIMITS } from "#lib/kernel/limits.ts";
import { formatBytes, formatDuration, formatTokens } from "../ui/format.ts";

type LimitName = keyof typeof LIMITS;
type Words = { readonly group: LimitGroup; readonly says: string };

export const LIMIT_GROUPS = [
  "Artifacts",
  "Reading back",
  "jq and grep",
  "Agents",
  "Reading sessions",
  "Pages",
  "Requests",
  "Summarizer",
] as const;
export type LimitGroup = (typeof LIMIT_GROUPS)[number];

const artifacts = (says: string): Words => ({ group: "Artifacts", says });
const reading = (says: string): Words => ({ group: "Reading back", says });
const jobs = (says: string): Words => ({ group: "jq and grep", says });
const agents = (says: string): Words => ({ group: "Agents", says });
const sessions = (says: string): Words => ({ group: "Reading sessions", says });
const pages = (says: string): Words => ({ group: "Pages", says });
const requests = (says: string): Words => ({ group: "Requests", says });
const summarizer = (says: string): Words => ({ group: "Summarizer", says });

export const LIMIT_WORDS: Readonly<Record<string, Words>> = {
  artifactBytes: artifacts("An imported output larger than this is kept as an artifact"),
  artifactMaxBytes: artifacts("The largest artifact that is taken"),
  previewBytes: artifacts("Text of an artifact that stays in its event"),
  fullOutputBytes: artifacts("The largest output that is taken from beside a transcript"),
  gcGraceMs: artifacts("Bytes that nothing names are spared for"),
  sweepMs: artifacts("The server sweeps every"),
  reserveFileBytes: artifacts("Room that is kept for the day when the disk is full"),
  readWholeBytes: reading("A reading without a range gives artifacts up to this size whole"),
  readLines: reading("Lines of one reading of a larger one"),
  readChars: reading("Of one long line"),
  listedArtifacts: reading("Artifacts of one listing"),
  listedArtifactsDefault: reading("Of one that asks for no number"),
  listedBytes: reading("And its size"),
  jqMs: jobs("A jq program of an agent is stopped after"),
  jqPersonMs: jobs("That of a person after"),
  jqTypedMs: jobs("While it is being typed, after"),
  jqLongMs: jobs("When a person lets it run longer, after"),
  jqMemoryBytes: jobs("Memory of one jq program of an agent"),
  jqPersonMemoryBytes: jobs("Memory of one jq program of a person"),
  jqProgramChars: jobs("Length of an agent's jq program"),
  jqProgramBytes: jobs("Length of anybody's jq program"),
  jqShownBytes: jobs("What of its output a model is shown; the rest is counted"),
  jqPersonShownBytes: jobs("What of it a person is shown"),
  jqSavedBytes: jobs("What of it a person saves as an artifact"),
  jqProbeMs: jobs("Completion asks jq for at most"),
  jqProbeValues: jobs("Values that it looks at"),
  jqProbeInputBytes: jobs("The largest document that it asks; of larger ones it takes the shape"),
  playgroundRuns: jobs("Runs of a person that the playground remembers"),
  playgroundPrograms: jobs("Programs that it keeps because an address is too short for them"),
  grepMs: jobs("One search is stopped after"),
  grepPatternChars: jobs("Length of its pattern"),
  grepOptions: jobs("Its options"),
  grepLines: jobs("Lines that it shows"),
  grepBytes: jobs("Bytes that it shows"),
  grepLineChars: jobs("Of one line"),
  grepPersonBytes: jobs("Bytes that it shows a person who reads along"),
  grepManyArtifacts: jobs("Artifacts that one search reads"),
  grepManyMs: jobs("A search through many artifacts is stopped after"),
  grepManyShown: jobs("Artifacts with matches that it shows"),
  grepManyLines: jobs("Lines that it shows of each"),
  grepManyBytes: jobs("Bytes that it shows of each"),
  grepManyLineChars: jobs("Characters that it shows of a line"),
  grepManyChosen: jobs("Artifacts that it may be given one by one"),
  shapeBytes: jobs("Part of an artifact that its shape covers"),
  shapeMs: jobs("Of what was read of it after"),
  jobWaitMs: jobs("jq and grep wait for their turn at most"),
  jobBootMs: jobs("A thread of theirs may take to begin"),
  toolRequestBytes: agents("JSON of one call of a tool; what is larger is stored as bytes"),
  idempotencyMs: agents("A write with an Idempotency-Key is remembered for"),
  idempotencyKeys: agents("Keys that are remembered, the newest"),
  idempotencyAnswerBytes: agents("A longer answer is remembered without its text"),
  ingestRecords: agents("Events and calls that one request may tell a session"),
  toolMinMs: agents("A tool call gets at least"),
  toolMaxMs: agents("And at most, whatever is left of its turn"),
  toolStoreMs: agents("Storing one output may take; then it is cut instead"),
  sameCalls: agents("Calls of one tool with the same arguments in a turn"),
  lineBytes: sessions("A line longer than this is kept as bytes and listed, never parsed"),
  oversizedHeadBytes: sessions("Beginning of such a line that is shown"),
  rawBlockBytes: sessions("Source bytes are kept in blocks of about"),
  fileEvents: sessions("Events of one file; reading stops there"),
  fileEventsFree: sessions("Events of a file of any size"),
  fileEventsPerMegabyte: sessions("Events per megabyte beyond them; reading stops there"),
  inflateRatio: sessions("Times its size that a compressed file is read to"),
  inflateFreeBytes: sessions("Always read of a compressed file"),
  blockRecords: sessions("Records of one block"),
  partRecords: sessions("Records written before other writers go"),
  batchBytes: sessions("Source text of one transaction"),
  journalBytes: artifacts("Small artifacts kept in the database until their files are synced"),
  batchMs: sessions("Which is committed at the latest after"),
  batchWantedMs: sessions("When another write waits, after"),
  settledEvents: sessions("Events of a long session worked out before other writers go"),
  settledCalls: sessions("Model calls priced before other writers go"),
  searchChars: sessions("Text of one event that the search index holds"),
  agentFileBytes: sessions("The largest file of an agent's memory folder that is read"),
  sidecarBytes: sessions("The largest file beside a transcript that is read"),
  importProblems: sessions("Problems listed of one file; more are counted"),
  jsonTreeBytes: pages("JSON that is shown as a tree and as text"),
  jsonIndexBytes: pages("The index of one such document"),
  jsonKeptBytes: pages("Such documents that are kept in memory for a minute"),
  jsonMs: pages("One question about such a tree may take"),
  jsonUnfolded: pages("Values that are unfolded at a time"),
  highlightBytes: pages("Text that is coloured; what follows is plain"),
  listTextChars: pages("Text of one event in a list"),
  payloadChars: pages("Text of a rendered context in an answer; the whole is a download"),
  pageRows: pages("Rows of one page of a list"),
  tableBytes: pages("A table reads so much of an artifact"),
  tableRows: pages("Rows of a table"),
  tableColumns: pages("Its columns"),
  tableCells: pages("Its cells"),
  diffBytes: pages("Two artifacts are compared so far, each"),
  diffMs: pages("The fewest changes are looked for at most; then changes are found by the lines that occur once"),
  lineChars: pages("Of one line of a text"),
  longLineChars: pages("… when more of it is asked for"),
  copiedLines: pages("Lines that are copied at a time"),
  grepListedLines: pages("Lines that a person's search lists"),
  markdownBytes: pages("Markdown over this is shown as lines"),
  culprits: pages("Culprits that one session is blamed on"),
  reportEvents: pages("Events in a report to hand on"),
  reportEventChars: pages("… of each event"),
  reportEventLines: pages("… and of its lines"),
  reportCulprits: pages("Culprits in such a report"),
  reportFindings: pages("Findings to mask or accept in one report"),
  eventStreams: requests("Open event streams of one browser"),
  requestBytes: requests("The largest JSON body"),
  telemetryRequestBytes: requests("One request of an OpenTelemetry exporter"),
  telemetryUnpackedBytes: requests("… unpacked"),
  telemetryFileBytes: requests("All telemetry of one session"),
  uploadBytes: requests("The largest file that may be dropped"),
  summaryChars: summarizer("An extracted summary, where no other size is asked for"),
  summaryLeastChars: summarizer("And never less than"),
  replySummaryChars: summarizer("Of a model's reply: its summary, at most"),
  replyFactChars: summarizer("… one fact"),
  replyFacts: summarizer("… facts"),
  replyChars: summarizer("… and how much of it is looked at"),
  diagnosticFailures: summarizer("Failed calls listed after a summary"),
  diagnosticFiles: summarizer("Files listed after it"),
  diagnosticFailureChars: summarizer("Words of one failure"),
  diagnosedSummaryChars: summarizer("A summary with its failures and files, at most"),
  evidenceChars: summarizer("Characters of a log that summaries are judged by"),
  summaryMs: summarizer("An extracted summary may take"),
  modelMs: summarizer("A model that summarises is given up after"),
  modelTryMs: summarizer("One that is tried with one word after"),
  modelTries: summarizer("Times that it is asked while it is busy or fails"),
  modelInputChars: summarizer("Text of a transcript that it is sent; long outputs are shortened first"),
  modelOutputTokens: summarizer("Tokens that it may write, its thoughts counted"),
  modelReplyBytes: summarizer("Its answer, at most"),
};

/** The unit stands in the limit's name. */
export function limitText(name: LimitName, value: number): string {
  // Powers of two are told exactly where they are short.
  if (name.endsWith("Bytes")) return value < 100_000 ? `${formatTokens(value)} bytes` : formatBytes(value);
  if (name.endsWith("Ms")) return formatDuration(value);
  if (name.endsWith("Chars")) return `${formatTokens(value)} characters`;
  if (name.endsWith("Lines")) return `${formatTokens(value)} lines`;
  if (name.endsWith("Rows")) return `${formatTokens(value)} rows`;
  return formatTokens(value);
}
