// What a failed tool call says, and what to do next. A failure is put into one of eleven categories and annotated once; who
// fails in the same way again and again is told to stop trying the same. The annotation stands beside the result and is
// added in rendering: the log keeps what the tool said.
import { resultOf, type Message } from "../context/message.ts";

export const ERROR_CATEGORIES = [
  "permission_denied",
  "not_found",
  "invalid_params",
  "timeout",
  "rate_limit",
  "format_error",
  "size_limit",
  "connection_error",
  "auth_error",
  "conflict",
  "unknown",
] as const;
export type ErrorCategory = (typeof ERROR_CATEGORIES)[number];

// The first that fits decides: what is said in so many words goes before what a number could mean, and what is narrow
// before what is wide ("connection timed out" is a timeout, "401 not found in cache" an authentication).
const RULES: readonly (readonly [ErrorCategory, RegExp])[] = [
  ["rate_limit", /\b429\b|rate.?limit|too many requests|quota (?:was )?exceeded|resource.?exhausted/i],
  [
    "timeout",
    /\bETIMEDOUT\b|\bESOCKETTIMEDOUT\b|time[ds]?.?out|deadline exceeded|\b(?:408|504)\b(?=.{0,40}(?:time|gateway))/i,
  ],
  [
    "auth_error",
    /unauthori[sz]ed|unauthenticated|\b401\b|(?:invalid|expired|missing|bad) (?:api.?key|token|credentials?)|authentication (?:failed|required)|not logged in|login required/i,
  ],
  [
    "permission_denied",
    /\bEACCES\b|\bEPERM\b|\bEROFS\b|permission denied|access (?:is )?denied|not permitted|forbidden|\b403\b|read-only file system|sandbox/i,
  ],
  [
    "connection_error",
    /\bECONN(?:REFUSED|RESET|ABORTED)\b|\bEHOSTUNREACH\b|\bENETUNREACH\b|\bENOTFOUND\b|\bEAI_AGAIN\b|\bEPIPE\b|connection (?:was )?(?:refused|reset|closed|lost|error)|network (?:error|is unreachable)|socket hang up|could not resolve host|fetch failed|\b50[23]\b/i,
  ],
  [
    "size_limit",
    /\bE(?:FBIG|MSGSIZE|NOSPC|2BIG)\b|too (?:large|long|big|many tokens)|exceeds? (?:the )?(?:max|limit|size)|(?:size|length|token) limit|payload too large|\b413\b|no space left/i,
  ],
  [
    "conflict",
    /\bEEXIST\b|\bEBUSY\b|\bENOTEMPTY\b|already exists|\bconflict|\b409\b|(?:has been|was) (?:modified|changed) (?:since|by)|resource busy|locked by|not empty/i,
  ],
  [
    "not_found",
    /\bENOENT\b|\bENOTDIR\b|not found|no such (?:file|directory|table|tool|command|host)|does(?: not|n't) exist|cannot find|could not find|unknown (?:file|tool|command)|\b404\b/i,
  ],
  [
    "invalid_params",
    /\bEINVAL\b|(?:missing|required|invalid|unknown|unexpected|bad) (?:required )?(?:param(?:eter)?|argument|option|field|property|input|value|flag)|is required|must be (?:a|an|one of|at least|at most)|validation (?:error|failed)|\b(?:400|422)\b|usage:/i,
  ],
  [
    "format_error",
    /unexpected (?:token|end of|character)|syntax ?error|pars(?:e|ing) (?:error|failed)|failed to parse|cannot parse|malformed|invalid (?:json|xml|yaml|utf|syntax|format|regular expression)|not valid json/i,
  ],
];

/** Characters of an error that are read: the beginning and the end, where what went wrong stands. */
const READ_CHARS = 4000;

export function classifyError(text: string): ErrorCategory {
  const read = text.length > 2 * READ_CHARS ? `${text.slice(0, READ_CHARS)}\n${text.slice(-READ_CHARS)}` : text;
  return RULES.find(([, pattern]) => pattern.test(read))?.[0] ?? "unknown";
}

const ADVICE: Record<ErrorCategory, { readonly means: string; readonly try: readonly string[] }> = {
  permission_denied: {
    means: "The tool may not do this here.",
    try: ["Work on a path or with a tool that is allowed.", "Ask the person for the permission; do not go around it."],
  },
  not_found: {
    means: "What was named does not exist.",
    try: [
      "List the folder or search for the name before using it again.",
      "Check the spelling and the folder that the path begins in.",
    ],
  },
  invalid_params: {
    means: "The arguments are not what the tool takes.",
    try: [
      "Read the tool's schema and send every required argument.",
      "Leave out arguments that the schema does not have.",
    ],
  },
  timeout: {
    means: "The tool did not end in time.",
    try: [
      "Do less at once: a smaller range, fewer files, a narrower query.",
      "Run what takes long in the background and look at it later.",
    ],
  },
  rate_limit: {
    means: "Too many requests in a short time.",
    try: ["Wait before the next request, and then longer each time.", "Ask for several things in one request."],
  },
  format_error: {
    means: "What was read or sent is not in the form that was expected.",
    try: ["Look at the text itself before parsing it.", "Check quotes, brackets and escapes of what you sent."],
  },
  size_limit: {
    means: "It is larger than what is allowed.",
    try: ["Ask for a part: a line range, a filter, one page.", "Store the whole as an artifact and read from it."],
  },
  connection_error: {
    means: "The other side did not answer.",
    try: [
      "Check that the service runs, and its host and port.",
      "Try once more after a moment; then go on without it.",
    ],
  },
  auth_error: {
    means: "Who asks is not known there.",
    try: [
      "Check which credential the tool uses and whether it has expired.",
      "Ask the person to sign in; do not guess credentials.",
    ],
  },
  conflict: {
    means: "It is there already, or was changed in the meantime.",
    try: ["Read the present state before writing again.", "Choose another name, or say that it may be overwritten."],
  },
  unknown: {
    means: "The error does not say what kind it is.",
    try: ["Read the whole message and what the tool was asked.", "Try the smallest call that could work."],
  },
};

/** Repeats of a failure after which trying again is no way. */
const ESCALATES_AT = 3;
const KEPT_RECORDS = 50;
const KEPT_MS = 5 * 60_000;

export type Failure = { readonly toolName: string; readonly category: ErrorCategory };

/** Remembers the failures of a session: the latest 50, each for five minutes. */
export class FailureTracker {
  readonly #now: () => number;
  #records: (Failure & { at: number })[] = [];

  constructor(host: { now(): number }) {
    this.#now = () => host.now();
  }

  /** Notes a failure; how often the same tool has now failed in the same way. */
  note({ toolName, category }: Failure): number {
    const at = this.#now();
    this.#records = this.#recent(at).slice(-(KEPT_RECORDS - 1));
    this.#records.push({ toolName, category, at });
    return this.count({ toolName, category });
  }

  count({ toolName, category }: Failure): number {
    return this.#recent(this.#now()).filter((one) => one.toolName === toolName && one.category === category).length;
  }

  /** The tool has worked: what failed before is no pattern any more. */
  forget(toolName: string): void {
    this.#records = this.#records.filter((one) => one.toolName !== toolName);
  }

  #recent(now: number): (Failure & { at: number })[] {
    return this.#records.filter(({ at }) => now - at < KEPT_MS);
  }
}

export type Reflection = Failure & {
  /** The how-manieth failure of this kind in a row. */
  readonly attempt: number;
  readonly means: string;
  /** What to do, the most important first. */
  readonly suggestions: readonly string[];
};

/** What to make of a failed call. Notes it. */
export function reflect(toolName: string, error: string, tracker: FailureTracker): Reflection {
  const category = classifyError(error);
  const attempt = tracker.note({ toolName, category });
  const { means, try: advice } = ADVICE[category];
  const stop = `This is attempt #${attempt} of ${toolName} that ends in ${category}. Stop repeating it and take a fundamentally different approach.`;
  return { toolName, category, attempt, means, suggestions: attempt < ESCALATES_AT ? advice : [stop, ...advice] };
}

const BEGIN = "[Reflection on this error]";

/** The error with its annotation behind it. An error that has one already stays as it is. */
export function annotateError(error: string, { category, attempt, means, suggestions }: Reflection): string {
  if (hasReflection(error)) return error;
  const lines = [
    BEGIN,
    `category: ${category}${attempt > 1 ? ` (attempt #${attempt})` : ""}`,
    `meaning: ${means}`,
    ...suggestions.map((suggestion, i) => `${i + 1}. ${suggestion}`),
  ];
  return `${error}${error === "" || error.endsWith("\n") ? "" : "\n"}\n${lines.join("\n")}`;
}

/** The messages of a request with the annotations of their failed results, which stand beside the log by tool call. */
export function withReflections(
  messages: readonly Message[],
  reflectionOf: (toolCallId: string) => Reflection | null,
): readonly Message[] {
  return messages.map((message) => {
    const result = resultOf(message);
    const error = result?.toolError ?? null;
    const reflection = result === null || error === null ? null : reflectionOf(result.toolCallId);
    if (reflection === null) return message;
    return { ...message, toolPayload: { ...result!, toolError: annotateError(error!, reflection) } };
  });
}

/** True for an error that was annotated: a text that only quotes our heading has no category in the line after it. */
export const hasReflection = (error: string): boolean =>
  new RegExp(`\\n\\n?\\[Reflection on this error\\]\\ncategory: (?:${ERROR_CATEGORIES.join("|")})\\b`).test(
    `\n${error}`,
  );
