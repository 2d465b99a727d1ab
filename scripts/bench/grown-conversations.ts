// Documents of tools that keep each model call with all that was sent: conversations in which every call has the messages of those
// before it, as an agent's have.
import { at, conversation, CONVERSATION, type Conversation, type Step } from "./generated-conversation.ts";

/** Parts until they have so many bytes. */
function until<T>(size: number, make: (n: number) => readonly T[]): T[] {
  const made: T[] = [];
  for (let [n, bytes] = [0, 0]; bytes < size; n++) {
    const part = make(n);
    bytes += JSON.stringify(part).length;
    made.push(...part);
  }
  return made;
}

type Documents = Readonly<Record<string, (document: Record<string, unknown>, size: number) => unknown>>;

export const CONVERSATIONS: Documents = {
  inspect: (document, size) => ({
    ...document,
    samples: until(size, (n) => [inspectSample(conversation(n), n)]),
  }),
  langfuse: (document, size) => ({
    ...document,
    observations: until(size, (n) => observations(conversation(n), n)),
  }),
  openinference: (_document, size) => ({
    data: until(size, (n) => flatSpans(conversation(n), n)),
  }),
};

/** Messages are in a pool of the sample, and each call says which of them it was sent. */
function inspectSample({ id, prompt, steps }: Conversation, n: number): unknown {
  const model = "claude-synthetic";
  const pool = [
    { id: `${id}-s`, role: "system", content: "You are a harbour master." },
    { id: `${id}-u`, role: "user", content: prompt },
    ...steps.flatMap((step) => [
      {
        ...{
          id: `${step.id}-a`,
          role: "assistant",
          content: [{ type: "text", text: step.said }],
          model,
        },
        tool_calls: [{ id: step.id, function: "read_tide", arguments: { day: step.day } }],
      },
      {
        id: `${step.id}-t`,
        role: "tool",
        content: step.result,
        tool_call_id: step.id,
        function: "read_tide",
      },
    ]),
  ];
  const events = steps.flatMap((step, i) => {
    const usage = { input_tokens: 40, output_tokens: 12, total_tokens: 52 };
    const output = {
      model,
      choices: [{ message: pool[2 + 2 * i], stop_reason: "tool_calls" }],
      usage,
    };
    const [asked, ran] = [at(n, i), at(n, i, 900)];
    return [
      {
        ...{
          event: "model",
          span_id: `${id}-span`,
          uuid: `${step.id}-m`,
          timestamp: asked,
          completed: ran,
          model,
        },
        ...{ input: [], input_refs: [[0, 2 + 2 * i]], tools: [], output },
      },
      {
        ...{
          event: "tool",
          span_id: `${id}-span`,
          uuid: `${step.id}-e`,
          timestamp: ran,
          completed: at(n, i, 1800),
        },
        ...{
          type: "function",
          id: step.id,
          function: "read_tide",
          arguments: { day: step.day },
          result: step.result,
        },
        events: [],
      },
    ];
  });
  const begin = {
    event: "span_begin",
    id: `${id}-span`,
    type: "solver",
    name: "generate",
    timestamp: at(n, 0),
  };
  return {
    ...{
      id,
      epoch: 1,
      uuid: `sample-${id}`,
      input: prompt,
      target: "04:12",
      messages: pool,
    },
    ...{
      output: {},
      scores: {},
      events: [begin, ...events],
      message_pool: pool,
    },
  };
}

const callOf = (step: Step) => ({
  id: step.id,
  type: "function",
  function: { name: "read_tide", arguments: JSON.stringify({ day: step.day }) },
});

function observations({ id, prompt, steps }: Conversation, n: number): readonly unknown[] {
  const own = {
    traceId: "synthetic-trace",
    parentObservationId: id,
    level: "DEFAULT",
  };
  const sent: unknown[] = [{ role: "user", content: prompt }];
  const made = steps.flatMap((step, i) => {
    const input = { messages: [...sent] };
    const message = {
      role: "assistant",
      content: step.said,
      tool_calls: [callOf(step)],
    };
    sent.push(message, {
      role: "tool",
      content: step.result,
      tool_call_id: step.id,
    });
    return [
      {
        ...{
          id: `${step.id}-m`,
          type: "GENERATION",
          name: "chat",
          startTime: at(n, i),
          endTime: at(n, i, 900),
          ...own,
        },
        ...{
          input,
          output: { choices: [{ message }] },
          model: "gpt-synthetic",
        },
        ...{
          usageDetails: { input: 40, output: 12, total: 52 },
          costDetails: { total: 0.01 },
        },
      },
      {
        ...{
          id: `${step.id}-t`,
          type: "TOOL",
          name: "read_tide",
          startTime: at(n, i, 900),
          endTime: at(n, i, 1800),
        },
        ...{ ...own, input: { day: step.day }, output: step.result },
      },
    ];
  });
  const agent = {
    ...own,
    id,
    type: "AGENT",
    name: "harbour agent",
    parentObservationId: null,
  };
  return [
    {
      ...agent,
      startTime: at(n, 0),
      endTime: at(n, CONVERSATION),
      input: null,
      output: null,
    },
    ...made,
  ];
}

/** Attributes by their dotted names, as Phoenix exports them. */
function flatSpans({ id, prompt, steps }: Conversation, n: number): readonly unknown[] {
  const trace = `0x${n.toString(16).padStart(32, "a")}`;
  const context = (name: string) => ({ trace_id: trace, span_id: name });
  const shared = { status_code: "OK", status_message: "", events: [] };
  const message = (list: string, i: number, role: string, content: string) => ({
    [`llm.${list}.${i}.message.role`]: role,
    [`llm.${list}.${i}.message.content`]: content,
  });
  const callIn = (list: string, i: number, step: Step) => ({
    [`llm.${list}.${i}.message.tool_calls.0.tool_call.id`]: step.id,
    [`llm.${list}.${i}.message.tool_calls.0.tool_call.function.name`]: "read_tide",
    [`llm.${list}.${i}.message.tool_calls.0.tool_call.function.arguments`]: JSON.stringify({ day: step.day }),
  });
  const sent: Record<string, string> = message("input_messages", 0, "user", prompt);
  const made = steps.flatMap((step, i) => {
    const attributes = {
      ...{
        "openinference.span.kind": "LLM",
        "session.id": "harbour-9",
        "llm.model_name": "gpt-5.5",
      },
      ...sent,
      ...message("output_messages", 0, "assistant", step.said),
      ...callIn("output_messages", 0, step),
      ...{ "llm.token_count.prompt": 90, "llm.token_count.completion": 6 },
    };
    const answer = message("input_messages", 2 * i + 1, "assistant", step.said);
    const result = message("input_messages", 2 * i + 2, "tool", step.result);
    Object.assign(sent, answer, callIn("input_messages", 2 * i + 1, step), result);
    sent[`llm.input_messages.${2 * i + 2}.message.tool_call_id`] = step.id;
    const tool = {
      ...{
        "openinference.span.kind": "TOOL",
        "session.id": "harbour-9",
        "tool.name": "read_tide",
      },
      ...{
        "tool_call.id": step.id,
        "input.value": JSON.stringify({ day: step.day }),
        "output.value": step.result,
      },
    };
    return [
      {
        ...{
          name: "ChatOpenAI",
          context: context(`${step.id}-m`),
          span_kind: "LLM",
          parent_id: id,
          ...shared,
        },
        ...{ start_time: at(n, i), end_time: at(n, i, 900), attributes },
      },
      {
        ...{
          name: "read_tide",
          context: context(`${step.id}-t`),
          span_kind: "TOOL",
          parent_id: id,
          ...shared,
        },
        ...{
          start_time: at(n, i, 900),
          end_time: at(n, i, 1800),
          attributes: tool,
        },
      },
    ];
  });
  const about = {
    "openinference.span.kind": "AGENT",
    "session.id": "harbour-9",
  };
  const agent = {
    name: "harbour agent",
    context: context(id),
    span_kind: "AGENT",
    parent_id: null,
    ...shared,
  };
  return [
    {
      ...agent,
      start_time: at(n, 0),
      end_time: at(n, CONVERSATION),
      attributes: about,
    },
    ...made,
  ];
}
