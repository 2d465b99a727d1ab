// What a summary is made of: one piece for each thing that was said, called or returned, in the order of the log. They
// are made of events (input-from-events.ts); raw traces of an agent are read as events first.

export type PieceKind = "user" | "assistant" | "reasoning" | "tool_call" | "tool_result" | "summary" | "note";

/** What a tool call does to a file. */
export type FileDeed = "read" | "created" | "modified" | "deleted";
export type FileTouch = { readonly path: string; readonly does: FileDeed };

export type Piece = {
  /** Position in the log; rises from piece to piece. */
  readonly seq: number;
  /** What a line of a summary calls it by: `event 12`, `turn_0003 #4`. */
  readonly ref: string;
  readonly kind: PieceKind;
  /** Words as the model saw or wrote them; of a call its input with line breaks as line breaks. */
  readonly text: string;
  /** Of a result those of its call; null elsewhere. */
  readonly toolName: string | null;
  readonly command: string | null;
  readonly files: readonly FileTouch[];
  /** Of a call that writes down a plan: its steps that are not done. Null where it is no plan. */
  readonly open: readonly string[] | null;
  /** Null where nobody told it. */
  readonly exitCode: number | null;
  readonly isError: boolean;
  /** Where the whole output is kept. */
  readonly artifact: string | null;
};

/** What the model wrote itself. */
export const isAgents = ({ kind }: Piece): boolean =>
  kind === "assistant" || kind === "reasoning" || kind === "tool_call";

/** Of a piece that has nothing to do with a tool call. */
export const NO_CALL = {
  toolName: null,
  command: null,
  files: [],
  open: null,
  exitCode: null,
  isError: false,
  artifact: null,
} as const satisfies Partial<Piece>;
