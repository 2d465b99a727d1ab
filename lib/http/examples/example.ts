// A request that works, as data beside the table of endpoints: bin/api-examples.test.ts sends every one of them.

export type Example = {
  /** What the endpoint does, in a few words: its title in the document. */
  readonly title: string;
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  /** A body that is sent as JSON. */
  readonly body?: unknown;
  /** A body of bytes, with its type. */
  readonly content?: { readonly type: string; readonly text: string };
  readonly accept?: string;
  /** Status of the answer; 200. */
  readonly status?: number;
};

/** By method and path, as the table of endpoints has them. */
export type Examples = Readonly<Record<string, Example>>;

// Names in the examples. The test has a session and an artifact of these names; the ids it makes, and puts in place of these.
export const NAMES = {
  /** One that takes writes. */
  session: "plimsoll:harbour",
  /** One of a coding agent, imported from its file. */
  imported: "s_00000000000000f1",
  artifact: "art_28347866faabef0b",
  compaction: "cmp_00000000000000c1",
  continuation: "con_00000000000000aa",
  memory: "mem_00000000000000a1",
  program: "prg_00000000000000b1",
  token: "tok_00000000000000d1",
  webhook: "w_0000000000d2",
  finding: "cache:cache-break:Cache expired while idle",
  import: "failed-import-1",
  attached: "s_00000000000000e1",
  folder: "/home/me/agent-memory",
  logs: "/home/me/agent-logs",
  file: "/home/me/agent-logs/run.jsonl",
} as const;

/** The bytes of the artifact. */
export const PIERS = JSON.stringify([
  { pier: 1, depth: 4.2, notes: "sound" },
  { pier: 2, depth: 3.1, notes: "leak at the ladder" },
]);

/** Paths that begin alike, with the parameters that they share. */
export const under = (prefix: string, params: Example["params"], examples: Examples): Examples =>
  Object.fromEntries(
    Object.entries(examples).map(([key, example]) => {
      const [method = "", rest = ""] = key.split(" ");
      return [`${method} ${prefix}${rest}`, { ...example, params: { ...params, ...example.params } }];
    }),
  );
