// What a renderer makes of a list of messages: the part of a provider's request that holds them, the same as rows for
// people, and what could not be sent. A renderer never changes what it is given: every value in a payload is a copy.
import type { LeftOut, Notes } from "./renderer-notes.ts";
import type { RenderOptions } from "./renderer-options.ts";
import type { IdRules, Step } from "./message-steps.ts";
import type { RequestOf } from "./provider-requests.ts";

export type RendererId = keyof RequestOf;

export type PartKind = "text" | "reasoning" | "call" | "result" | "image" | "audio" | "video" | "native";

/** What of a row the model reads. Of media `text` is the type, of native items their JSON. */
export type RowPart = { readonly kind: PartKind; readonly text: string };

/** One message of the payload. `value` is the very object that stands in the request. */
export type RenderedRow<Value = unknown> = {
  readonly role: string;
  readonly value: Value;
  readonly parts: readonly RowPart[];
  readonly seqs: readonly number[];
};

export type RenderedAs<Request> = { readonly request: Request; readonly rows: readonly RenderedRow[] };
export type Rendered<Id extends RendererId = RendererId> = RenderedAs<RequestOf[Id]>;

export type RenderedPayload<Id extends RendererId = RendererId> = Rendered<Id> & {
  readonly renderer: Id;
  readonly leftOut: readonly LeftOut[];
};

export type Renderer<Id extends RendererId = RendererId> = {
  readonly id: Id;
  readonly label: string;
  readonly ids: IdRules;
  /** Of steps that are whole: each call has its result behind it, in the order of the calls. */
  readonly render: (steps: readonly Step[], options: RenderOptions, notes: Notes) => Rendered<Id>;
};
