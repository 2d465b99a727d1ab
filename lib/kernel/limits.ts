// The one table of limits: deadlines, caps and previews. The limits page shows it, tests read it,
// and a message that says a cap takes its number from here.

export const LIMITS = {
  /** Tool outputs larger than this are kept as artifacts (bytes of UTF-8). Fixed for imports: no policy, no window. */
  artifactBytes: 4096,
  /** One artifact that is stored by an agent or a person, at most (bytes). */
  artifactMaxBytes: 16 * 1024 * 1024 * 1024,
  /** Text of an artifact that stays in its event, for lists, search results and previews (bytes). */
  previewBytes: 2048,
  /** A line longer than this is kept as raw bytes and listed, never parsed (bytes). */
  lineBytes: 64 * 1024 * 1024,
  /** Head of an oversized line that its `unknown` event shows (bytes). */
  oversizedHeadBytes: 64 * 1024,
  /** A session file is known by its first record, if that is no longer than this (bytes). */
  firstRecordBytes: 4 * 1024 * 1024,
  /** Source bytes are kept in zstd blocks of about this size, cut at line ends (bytes). */
  rawBlockBytes: 1024 * 1024,
  /** Events of one file: reading stops there, and the source says so. */
  fileEvents: 5_000_000,
  /** Events that a file may have whatever its size, and beyond them for each megabyte: real files have 250 to 1,000. */
  fileEventsFree: 50_000,
  fileEventsPerMegabyte: 8000,
  /** A compressed file is read until it is so many times its size, and always this far (bytes): real ones reach 20. */
  inflateRatio: 100,
  inflateFreeBytes: 32 * 1024 * 1024,
  /** An archive with session files: its entries, what it unpacks to (bytes), and how many times its size past the free part. */
  archiveEntries: 100_000,
  archiveBytes: 4 * 1024 * 1024 * 1024,
  archiveRatio: 200,
  archiveFreeBytes: 64 * 1024 * 1024,
  /** Records of a block: a megabyte of the shortest lines are 350,000, which take 100 MB. */
  blockRecords: 20_000,
  /** Records of a block that are written before others may write. */
  partRecords: 2000,
  /** One import transaction holds at most this much source text … (bytes) */
  batchBytes: 8 * 1024 * 1024,
  /** … and is committed at the latest after this time (milliseconds). */
  batchMs: 200,
  /** … or after this time, when another write waits (milliseconds). */
  batchWantedMs: 30,
  /** Events of a long session whose shares are looked up before others may write, when its end is reached … */
  settledEvents: 4000,
  /** … and model calls that are priced. */
  settledCalls: 1000,
  /** Small artifacts whose files are not synced yet; then they are, before more is taken (bytes). */
  journalBytes: 128 * 1024 * 1024,
  /** Text of one event that full-text search indexes (characters). */
  searchChars: 256 * 1024,
  /** Text of one stored output that the search page finds (bytes). */
  searchBytes: 16 * 1024 * 1024,
  /** Text that Shiki highlights; longer text is shown plain past it (bytes). */
  highlightBytes: 50 * 1024,
  /** Text of one event in a list answer; the rest is fetched when it is opened (characters). */
  listTextChars: 4096,
  /** Rows of one page of a list, at most. */
  pageRows: 500,
  /** JSON body of a request, at most (bytes). */
  requestBytes: 1024 * 1024,
  /** Writes with an Idempotency-Key are remembered so long (milliseconds), at most so many, with answers up to so much (bytes). */
  idempotencyMs: 24 * 60 * 60_000,
  idempotencyKeys: 10_000,
  idempotencyAnswerBytes: 16 * 1024,
  /** Webhooks, messages of one that wait, and deliveries that its log lists. */
  webhooks: 20,
  /** Each question to git about a session's repository ends after this (milliseconds) … */
  gitMs: 2000,
  /** … and lists so many commits. */
  gitCommits: 200,
  /** Budgets in one archive; each is summed whenever they are looked at. */
  budgets: 20,
  webhookQueued: 1000,
  webhookLog: 500,
  /** A receiver has so long for an answer; a message that waited this long is given up (milliseconds). */
  webhookMs: 10_000,
  webhookWaitMs: 24 * 60 * 60_000,
  /** What happened longer ago is history, and is sent to no webhook (milliseconds). */
  webhookLiveMs: 10 * 60_000,
  /** An imported session has finished when nothing was added for so long (milliseconds). */
  webhookIdleMs: 10 * 60_000,
  /** Events and calls that one request may tell a session of ours: the answer to so many is kept with an Idempotency-Key. */
  ingestRecords: 2000,
  /** Text of a rendered context in an answer; the whole is a download (characters). */
  payloadChars: 1024 * 1024,
  /** Log around a cut that summaries are judged by (characters). */
  evidenceChars: 32 * 1024 * 1024,
  /** A summary without a model gets this long: 300,000 characters take half a second (milliseconds). */
  summaryMs: 60_000,
  /** JSON of one call of a tool, at most: what is larger is stored as bytes (bytes). */
  toolRequestBytes: 16 * 1024 * 1024,
  /** A request of an OpenTelemetry exporter, as it comes and unpacked (bytes), and all of one session's telemetry. */
  telemetryRequestBytes: 16 * 1024 * 1024,
  telemetryUnpackedBytes: 32 * 1024 * 1024,
  telemetryFileBytes: 128 * 1024 * 1024,
  /** One dropped file, at most (bytes). */
  uploadBytes: 4 * 1024 * 1024 * 1024,
  /** A bundle: what it unpacks to (bytes), its entries, what it says of itself (bytes), and how many times its size it may become past the free part. */
  bundleBytes: 4_000_000_000,
  bundleEntries: 60_000,
  bundleManifestBytes: 64 * 1024 * 1024,
  bundleRatio: 500,
  bundleRatioFreeBytes: 64 * 1024 * 1024,
  /** A sidecar file beside a transcript, at most (bytes). */
  sidecarBytes: 2 * 1024 * 1024,
  /** A file of an agent's memory folder that is read whole, at most (bytes). */
  agentFileBytes: 512 * 1024 * 1024,
  /** A full output that an agent stored beside its transcript, at most (bytes). */
  fullOutputBytes: 256 * 1024 * 1024,
  /** Problems kept per source with their byte ranges; further ones are counted. */
  importProblems: 1000,
  /** Time that one tool call of an agent gets: never less … (milliseconds) */
  toolMinMs: 5000,
  /** … and never more, whatever is left of its turn (milliseconds). */
  toolMaxMs: 45_000,
  /** Storing one output of a tool call may take this long; then it is cut instead (milliseconds). */
  toolStoreMs: 15_000,
  /** Calls of one tool with the same arguments in one turn. */
  sameCalls: 3,
  /** A reading without a range gives an artifact up to this size whole (bytes) … */
  readWholeBytes: 256 * 1024,
  /** … and of a larger one, or of a range, so many lines … */
  readLines: 200,
  /** … or so much of one long line (characters). */
  readChars: 65_536,
  /** Bytes that nothing names stay this long: somebody may be about to name them (milliseconds). */
  gcGraceMs: 10 * 60_000,
  /** The server sweeps what should go this often (milliseconds). */
  sweepMs: 10 * 60_000,
  /** Room that is kept for the day when the disk is full, so that a sweep can still write (bytes). */
  reserveFileBytes: 16 * 1024 * 1024,
  /** Open event streams per browser credential. */
  eventStreams: 16,
  /** jq for an agent and for a person, at each key as he types, and when he lets it run longer (milliseconds). */
  jqMs: 5000,
  jqPersonMs: 10_000,
  jqTypedMs: 2000,
  jqLongMs: 60_000,
  /** Memory of one jq program, at most: an agent's, a person's (bytes). One JSON document takes up to ten times its size. */
  jqMemoryBytes: 256 * 1024 * 1024,
  jqPersonMemoryBytes: 2 * 1024 * 1024 * 1024,
  /** A jq program of an agent (characters) and of anybody (bytes); so are its arguments. */
  jqProgramChars: 4096,
  jqProgramBytes: 64 * 1024,
  /** What of its output a model and a person are shown; the rest is counted (bytes). */
  jqShownBytes: 64 * 1024,
  jqPersonShownBytes: 1024 * 1024,
  /** What of it a person saves as an artifact (bytes). */
  jqSavedBytes: 256_000_000,
  /** Completion asks jq: how long (milliseconds), for how many values, about documents of which size (bytes). */
  jqProbeMs: 500,
  jqProbeValues: 200,
  jqProbeInputBytes: 2_000_000,
  /** Runs of a person that the playground remembers, and programs that it keeps for addresses which are too short. */
  playgroundRuns: 500,
  playgroundPrograms: 2000,
  /** One search through an artifact (milliseconds) and its pattern (characters). */
  grepMs: 2000,
  grepPatternChars: 1024,
  /** Options of one search. */
  grepOptions: 16,
  /** JSON is shown as a tree and as text up to this size (bytes); its index may take so much, and all that are kept so much. */
  jsonTreeBytes: 512 * 1024 * 1024,
  jsonIndexBytes: 64 * 1024 * 1024,
  jsonKeptBytes: 256 * 1024 * 1024,
  /** One question about a tree (milliseconds), and containers that are unfolded at a time. */
  jsonMs: 15_000,
  jsonUnfolded: 2000,
  /** Artifacts of one listing, at most and where no number is asked for, and its size (bytes). */
  listedArtifacts: 200,
  listedArtifactsDefault: 50,
  listedBytes: 64 * 1024,
  /** The shape of an artifact is told of so much of it (bytes), read within this time (milliseconds). */
  shapeBytes: 256 * 1024 * 1024,
  shapeMs: 8000,
  /** Lines and bytes that a search shows, and how much of one line (characters). */
  grepLines: 200,
  grepBytes: 64 * 1024,
  grepLineChars: 2000,
  /** What it shows a person who reads along (bytes). */
  grepPersonBytes: 8 * 1024 * 1024,
  /** A search through many artifacts: so many of them, so long (milliseconds); the first with matches are shown, each with so many lines and bytes. */
  grepManyArtifacts: 20_000,
  grepManyMs: 60_000,
  grepManyShown: 200,
  grepManyLines: 20,
  grepManyBytes: 16 * 1024,
  /** … and of a long line so many characters around its match. */
  grepManyLineChars: 400,
  /** Artifacts that such a search may be given by name. */
  grepManyChosen: 500,
  /** jq and grep wait this long for their turn, and this long for a thread to begin (milliseconds). */
  jobWaitMs: 30_000,
  jobBootMs: 10_000,
  /** Culprits that a session is blamed on, at most. */
  culprits: 50,
  /** A report to hand on: events whose beginnings it has, how much of each (characters, lines), culprits, findings to decide on. */
  reportEvents: 20,
  reportEventChars: 2000,
  reportEventLines: 30,
  reportCulprits: 20,
  reportFindings: 500,
  /** A summary of the log's own words where no other size is asked for: at most, and never less (characters). */
  summaryChars: 12_000,
  summaryLeastChars: 1000,
  /** Of a model's reply: its summary, one fact, facts, and how much of it is looked at (characters, count, characters). */
  replySummaryChars: 4000,
  replyFactChars: 500,
  replyFacts: 20,
  replyChars: 1_000_000,
  /** Failures and files that stand behind a summary, what one failure says, and both together with the summary (characters). */
  diagnosticFailures: 8,
  diagnosticFiles: 50,
  diagnosticFailureChars: 240,
  diagnosedSummaryChars: 16_000,
  /** A model that summarises has so long, all tries together (milliseconds) … */
  modelMs: 120_000,
  /** … one that is tried with one word so long: servers that load a model first take some 20 s (milliseconds) … */
  modelTryMs: 45_000,
  /** … is asked so often while it is busy or fails … */
  modelTries: 3,
  /** … gets so much of a transcript: some 90,000 tokens, which half of a 200,000-token window holds (characters) … */
  modelInputChars: 300_000,
  /** … may write so much, its thoughts counted: 4,000 characters of summary and 20 facts of 500 are some 4,500 tokens … */
  modelOutputTokens: 8192,
  /** … and is read up to this size (bytes). */
  modelReplyBytes: 1024 * 1024,
  /** A table reads so much of an artifact (bytes), so many rows, columns and cells: 16 million cells take some 80 MB
   * beside the text that they are slices of. */
  tableBytes: 64_000_000,
  tableRows: 1_000_000,
  tableColumns: 1000,
  tableCells: 16_000_000,
  /** Two artifacts are compared so far (bytes a side) … */
  diffBytes: 5_000_000,
  /** … with the fewest changes for so long; then by the lines that occur once (milliseconds). */
  diffMs: 3000,
  /** Of one line, in a window of lines and when more of it is asked for (characters). */
  lineChars: 4000,
  longLineChars: 100_000,
  /** Lines that are copied at a time: more is a download. */
  copiedLines: 20_000,
  /** Lines that a person's search lists, context counted. */
  grepListedLines: 5000,
  /** Markdown over this is shown as lines (bytes). */
  markdownBytes: 1_000_000,
} as const;
