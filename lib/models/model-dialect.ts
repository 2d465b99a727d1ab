// How one provider is asked, and how its answer is read. A new one is a file like these and a line in ask-model.ts.

export type Dialect = {
  headers(apiKey: string | null): Readonly<Record<string, string>>;
  body(request: ModelRequest): unknown;
  /** Null for an answer of another shape. */
  reply(answer: unknown): Reply | null;
};

export type ModelRequest = {
  readonly system: string;
  readonly user: string;
  readonly model: string;
  readonly maxOutputTokens: number;
  /** Of the server that is asked. */
  readonly host: string;
};

export type Reply = {
  readonly text: string;
  /** The model's own name for itself. */
  readonly model: string | null;
  readonly ended: "whole" | "cut" | "refused";
  /** Why, where it said so apart from its text. */
  readonly refusal?: string | undefined;
};
