// What the model saw at an event of a session: its messages with their tokens, in order.
import { z } from "zod";
import { anyContext } from "#lib/archive/memory/plan-context.ts";
import { origin } from "#lib/wire/common-schema.ts";
import { contextQuery, type ContextMessage } from "#lib/wire/memory-schema.ts";
import { defineTool } from "./define-tool.ts";
import { sessionOf, sessionRef } from "./session-ref.ts";

const LABEL_CHARS = 160;

const message = z.object({
  role: z.string(),
  events: z.array(z.number()),
  tokens: z.number(),
  origin,
  new: z.boolean(),
  label: z.string(),
});

export const contextAtTool = defineTool({
  name: "context_at",
  title: "Context at an event",
  description:
    "Lists the messages that a model call of a session was sent, with the tokens of each: at event at_event, or at the end. read_session shows the text of an event.",
  maxBytes: 96 * 1024,
  input: z.strictObject({
    session: sessionRef,
    at_event: z.int().min(1).optional().describe("The last event when absent"),
    heaviest: z.boolean().default(false).describe("The heaviest messages first, in place of their order"),
    limit: z.int().min(1).max(200).default(50),
    offset: z.int().min(0).default(0),
  }),
  output: z.object({
    session: z.string(),
    at_event: z.number(),
    call: z.number().nullable(),
    tokens: z.number(),
    origin,
    reported: z.number().nullable(),
    hidden_prefix: z.number().nullable(),
    total_messages: z.number(),
    messages: z.array(message),
    next_offset: z.number().nullable(),
  }),
  async run(context, { session, at_event, heaviest, limit, offset }) {
    const id = await sessionOf(context, session);
    const query = contextQuery.parse(at_event === undefined ? {} : { at: at_event });
    const found = await anyContext(context.archive, id, query, { counted: true });
    const all = heaviest ? found.messages.toSorted((a, b) => b.tokens - a.tokens) : found.messages;
    const messages = all.slice(offset, offset + limit).map(factsOf);
    const next = offset + limit < all.length ? offset + limit : null;
    const { at, call, tokens, origin: grade, reported, prefix } = found;
    const lines = [
      `Context at event ${at}${call === null ? "" : ` (call ${call})`}: ${mark(grade)}${tokens} tokens in ${all.length} messages`,
      ...(reported === null ? [] : [`Provider reported ${reported}; hidden prefix ~${prefix ?? 0}`]),
      ...messages.map(
        (one) =>
          `${one.new ? "+" : " "} ${one.role} ${spanOf(one.events)} ${mark(one.origin)}${one.tokens}  ${one.label}`,
      ),
      ...(next === null ? [] : [`[${all.length - next} more: continue with offset=${next}]`]),
    ];
    return {
      text: lines.join("\n"),
      isError: false,
      structured: {
        session: found.sessionId,
        at_event: at,
        call,
        tokens,
        origin: grade,
        reported,
        hidden_prefix: prefix,
        total_messages: all.length,
        messages,
        next_offset: next,
      },
    };
  },
});

const factsOf = (one: ContextMessage): z.infer<typeof message> => ({
  role: one.role,
  // Of a message made of very many events the ends say which they are.
  events: one.seqs.length <= 4 ? one.seqs : [one.seqs[0]!, one.seqs.at(-1)!],
  tokens: one.tokens,
  origin: one.origin,
  new: one.change === "new",
  label: one.label.slice(0, LABEL_CHARS).replaceAll(/\s+/g, " ").toWellFormed(),
});

const mark = (grade: string): string => (grade === "estimated" ? "~" : "");

const spanOf = (events: readonly number[]): string =>
  events.length === 0 ? "–" : events.length === 1 ? `#${events[0]}` : `#${events[0]}–${events.at(-1)}`;
