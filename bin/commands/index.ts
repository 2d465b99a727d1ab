// The commands, in the order in which the usage shows them. Each file is loaded when its command runs: the usage alone must
// not load the archive. Being listed is being tested.
import type { Command } from "./args.ts";

const texts = (...names: readonly string[]) => Object.fromEntries(names.map((name) => [name, "text"] as const));

export const COMMANDS: readonly Command[] = [
  {
    name: "import",
    args: ["PATH…"],
    options: { archived: "flag", "no-archived": "flag" },
    about:
      "read files or folders of any known format, once; --archived reads the reset and deleted transcripts of these folders too, from now on, and --no-archived no longer",
    load: () => import("./import-command.ts"),
  },
  {
    name: "attach",
    args: ["PATH"],
    options: {},
    about:
      "show the memory folder of an Autobyteus agent as a session that compact and undo work on for real; asked again, it looks again",
    load: () => import("./attach-command.ts"),
  },
  {
    name: "sessions",
    args: [],
    options: { format: "text", q: "text" },
    about: "list sessions, newest first; --q searches their text",
    load: () => import("./sessions-command.ts"),
  },
  {
    name: "show",
    args: ["SESSION"],
    options: {},
    about: "summary of one session: its id, its native id, or the beginning of either",
    load: () => import("./show-command.ts"),
  },
  {
    name: "events",
    args: ["SESSION"],
    options: { from: "text", to: "text", type: "text" },
    about: "events of a session, in order, with their whole text",
    load: () => import("./events-command.ts"),
  },
  {
    name: "context",
    args: ["SESSION"],
    options: { at: "text", plan: "text", as: "text", payload: "flag", fit: "text" },
    about:
      "what a model call at event --at sees, or what --plan COMPACTION leaves, message by message; --as openai-chat (or openai-responses, anthropic, gemini, text), --payload prints that provider's request alone; --fit TOKENS says what of it fits a window of that size",
    load: () => import("./context-command.ts"),
  },
  {
    name: "request",
    args: ["SESSION"],
    options: { call: "text", request: "text" },
    about:
      "what was really sent with --call N, or as --request ID (plimsoll requests lists them): the body, from the session's own file, where its agent writes it (Claude Code from 2.1.330); --json says beside it how much of it the file's digests prove",
    load: () => import("./request-command.ts"),
  },
  {
    name: "requests",
    args: ["SESSION"],
    options: { from: "text" },
    about:
      "all requests that a session's own file holds, those of no call too (failed, interrupted): model, what for, messages, and how many of them the file's digests prove; 500 at once, the next from event --from",
    load: () => import("./requests-command.ts"),
  },
  {
    name: "export",
    args: ["SESSION"],
    options: { out: "text", as: "text" },
    about:
      "a session as a file that any archive imports, outputs and images inside: on standard output, or in a new file --out; --as autobyteus (or autobyteus-1) writes the memory folder of an agent to --out",
    load: () => import("./export-command.ts"),
  },
  {
    name: "load",
    args: ["SESSION"],
    options: { markdown: "flag" },
    about:
      "what filled the context of a session: ledger, blow-ups, culprits, verdict; --markdown prints the verdict to pass on",
    load: () => import("./load-command.ts"),
  },
  {
    name: "report",
    args: ["SESSION"],
    options: {
      html: "flag",
      markdown: "flag",
      out: "text",
      mask: "text",
      events: "text",
      accept: "texts",
      hide: "texts",
      review: "flag",
    },
    about:
      "one file to hand on, a page without scripts (or --markdown): on standard output, or in a new file --out; --review lists what looks private first, --mask secrets (or all, none) masks it, --accept and --hide decide on one finding; --events 3,7 chooses excerpts",
    load: () => import("./report-command.ts"),
  },
  {
    name: "whatif",
    args: ["SESSION"],
    options: {
      offload: "text",
      envelope: "text",
      reread: "text",
      mask: "text",
      hysteresis: "text",
      trigger: "text",
      free: "text",
      "keep-tool": "texts",
      "from-call": "text",
      "drop-tool": "texts",
      dedupe: "flag",
      ratio: "text",
      tail: "text",
      summary: "text",
    },
    about:
      "what another policy would have made of a session: results over --offload tokens stored and a share --reread of them read back, only the newest --mask results whole, the oldest cleared from a --trigger of prompt tokens until --free are freed, never those of a --keep-tool nor before --from-call, compaction at --ratio of the load line",
    load: () => import("./whatif-command.ts"),
  },
  {
    name: "compact",
    args: ["SESSION"],
    options: {
      ...texts("at", "summarizer", "budget-chars", "tail", "tool-events", "instructions", "summary", "out"),
      own: "flag",
      "dry-run": "flag",
    },
    about:
      "put a summary in place of what a context begins with, the last --tail turns kept whole: a session of ours or an attached memory folder is compacted, an imported one gets a plan beside it; --tool-events exclude (or include_outputs, include_all) says what of tools it is made of, --instructions what a model is to mind; --dry-run only shows; --out FILE writes the summary, --summary FILE (- for standard input) takes an edited one; --own compares it with the summary that the agent wrote itself",
    load: () => import("./compact-command.ts"),
  },
  {
    name: "undo",
    args: ["COMPACTION"],
    options: {},
    about: "take a compaction back: the context goes on as if it had not been; a plan is taken back too",
    load: () => import("./undo-command.ts"),
  },
  {
    name: "memory",
    args: ["SESSION"],
    options: {},
    about: "epochs, compactions, items and recalls of a session",
    load: () => import("./memory-command.ts"),
  },
  {
    name: "recall",
    args: ["SESSION"],
    options: { query: "text", at: "text", k: "text" },
    about: "the artifacts of a session that --query needs most; --at EVENT looks no further than there",
    load: () => import("./recall-command.ts"),
  },
  {
    name: "session",
    args: ["create|close", "[SESSION]", "[TURN]"],
    options: { title: "text", model: "text", agent: "text", window: "text", policy: "text", compaction: "text" },
    about:
      "a session that takes writes: create [SESSION] makes one under this name, or finds it, compacted automatically with --compaction '{}' or its settings as JSON; close SESSION TURN takes no more outputs of a turn",
    load: () => import("./session-command.ts"),
  },
  {
    name: "end",
    args: ["SESSION"],
    options: { "dry-run": "flag", yes: "flag" },
    about:
      "delete all artifacts of a session that takes writes; its events stay. --dry-run lists what would go, --yes confirms",
    load: () => import("./end-command.ts"),
  },
  {
    name: "remove",
    args: ["SESSION"],
    options: { "dry-run": "flag", yes: "flag" },
    about:
      "take an imported session out of the archive, its words out of the search; its file stays, and is read again only by name. --dry-run lists what would go, --yes confirms",
    load: () => import("./remove-command.ts"),
  },
  {
    name: "store",
    args: ["SESSION", "FILE"],
    options: { name: "text", type: "text", description: "text", create: "flag" },
    about:
      "keep a file (- for standard input) as an artifact of a session that takes writes; SESSION may be new, and --create makes one of that name where there is none",
    load: () => import("./store-command.ts"),
  },
  {
    name: "artifacts",
    args: ["[SESSION]"],
    options: {},
    about: "artifacts of a session, or all, largest first",
    load: () => import("./artifacts-command.ts"),
  },
  {
    name: "cat",
    args: ["REF"],
    options: {},
    about:
      "the bytes of an artifact, unchanged, on standard output: art:<uuid>, art_<16 hex>, a digest, or SESSION/NAME",
    load: () => import("./cat-command.ts"),
  },
  {
    name: "read",
    args: ["REF"],
    options: { from: "text", to: "text", char: "text", chars: "text", base64: "flag", session: "text" },
    about:
      "an artifact as an agent reads it: whole, or lines --from --to, or --chars of a long line from --char on; with --session as that session sees it",
    load: () => import("./read-command.ts"),
  },
  {
    name: "grep",
    args: ["[REF]", "PATTERN", "[OPTION…]"],
    options: { session: "text", in: "texts", all: "flag", lines: "text" },
    passes: true,
    about:
      "lines of an artifact that match: -i -v -n -c -w -x -o -F -E, -A N -B N -C N -m N; a pattern with a dash after --. Without REF it searches many: --in SESSION or --in REF, again for more, or --all; --lines N of each are shown",
    load: () => import("./grep-command.ts"),
  },
  {
    name: "jq",
    args: ["REF", "PROGRAM"],
    options: {
      raw: "flag",
      slurp: "flag",
      "null-input": "flag",
      compact: "flag",
      pretty: "flag",
      "sort-keys": "flag",
      arg: "pairs",
      argjson: "pairs",
      long: "flag",
      session: "text",
    },
    letters: { raw: "r", slurp: "s", "null-input": "n", compact: "c", "sort-keys": "S" },
    about:
      "a jq 1.8 program over a JSON artifact: -r strings without quotes, -s all values as one array, -n null as input, -S keys in order, --arg NAME VALUE, --argjson NAME JSON; one value a line (-c) unless --pretty; --long up to a minute",
    load: () => import("./jq-command.ts"),
  },
  {
    name: "tool",
    args: ["[NAME]", "[JSON]"],
    options: { session: "text" },
    about:
      "any tool by its name, as an agent calls it, for example: tool artifact_list '{}' --session S; without a name what there is",
    load: () => import("./tool-command.ts"),
  },
  {
    name: "mcp",
    args: [],
    options: { session: "text", "read-only": "flag" },
    about:
      "an MCP server on standard input and output: tools, artifacts and sessions for an agent; --session shows it that session alone, --read-only leaves out the tool that stores",
    load: () => import("./mcp-command.ts"),
  },
  {
    name: "calibrate",
    args: [],
    options: { "dry-run": "flag", reset: "flag" },
    about: "fit the weights of tokens to your own sessions; --dry-run only tells the errors, --reset goes back",
    load: () => import("./calibrate-command.ts"),
  },
  {
    name: "check",
    args: [],
    options: { rebuild: "flag" },
    about: "verify blobs, rows and registries; --rebuild mends what can be mended",
    load: () => import("./check-command.ts"),
  },
  {
    name: "gc",
    args: [],
    options: { "dry-run": "flag", "trust-clock": "flag" },
    about:
      "end what expired or is beyond the limits, free bytes that nothing names; --dry-run only counts; --trust-clock confirms a clock that jumped ahead",
    load: () => import("./gc-command.ts"),
  },
  {
    name: "token",
    args: ["create|list|revoke", "[TOKEN]"],
    options: { name: "text", scope: "text", session: "text", days: "text", pin: "texts" },
    about:
      "tokens for agents: create shows one once (scope read, write or admin; write when none is said; 90 days, --days 0 for no end; --session makes it see this session alone; --pin TOOL.ARGUMENT=VALUE fixes an argument of a tool); list; revoke one by its id or name",
    load: () => import("./token-command.ts"),
  },
  {
    name: "migrate",
    args: ["FILE…"],
    options: { artifacts: "text", key: "text" },
    about:
      "take the tool results out of OpenClaw transcripts, in place: a backup stays beside each; --artifacts DIR for where they go, --key for the session's key in the registry",
    load: () => import("./migrate-command.ts"),
  },
];
