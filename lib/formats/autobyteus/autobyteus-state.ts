// What the parser of raw traces remembers between two records.

export type AutobyteusState = {
  id: string | null;
  /** System prompt of the snapshot: kept, for a reading without the file beside. */
  prompt: string | null;
  agent: string | null;
  cwd: string | null;
  title: string | null;
  hasStarted: boolean;
  hasTitle: boolean;
  /** Number of the model's answer that goes on, or of the last one. */
  answer: number;
  isAnswering: boolean;
  /** The call whose words the next text may repeat. */
  lastTool: string | null;
  turn: string | null;
  seq: number;
  isUnordered: boolean;
};
