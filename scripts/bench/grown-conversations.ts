// Documents of tools that keep each model call with all that was sent: conversations in which every call has the messages of those
// before it, as an agent's have.
import { at, CONVERSATION, type Conversation, type Step } from "./generated-conversation.ts";

/** Messages are in a pool of the sample, and each call says which of them it was sent. */
export function inspectSample({ id, prompt, steps }: Conversation, n: number): unknown {
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

export function observations({ id, prompt, steps }: Conversation, n: number): readonly unknown[] {
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

/** A chat as Aider appends it to a history: what was typed and answered, and what it printed of each answer. */
export function aiderChat({ steps }: Conversation, n: number): string {
  const start = at(n, 0).slice(0, 19).replace("T", " ");
  const turns = steps.map(({ result, said }) => {
    const typed = result.split("\n").map((line) => `#### ${line}  \n`);
    return `\n${typed.join("")}\n${said}\n\n> Tokens: 2.3k sent, 120 received.  \n`;
  });
  return `\n# aider chat started at ${start}\n\n${turns.join("")}`;
}
