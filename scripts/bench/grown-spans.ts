// Spans of conversations, as OpenTelemetry's file exporter and Phoenix write them: those of a model call hold all that it was sent.
import { hash } from "node:crypto";
import { at, CONVERSATION, type Conversation, type Step } from "./generated-conversation.ts";

const hex = (name: string, digits: number): string => hash("sha1", name, "hex").slice(0, digits);

/** A request a line: a step of the agent, with its call of the model and of the tool. */
export function otlpLines({ id, prompt, steps }: Conversation, n: number): readonly string[] {
  const trace = hex(id, 32);
  const attribute = (key: string, value: string) => ({ key, value: { stringValue: value } });
  const count = (key: string, value: number) => ({ key, value: { intValue: String(value) } });
  const nanos = (i: number, ms = 0): string => `${Date.parse(at(n, i, ms))}000000`;
  const span = (name: string, spanId: string, i: number, from: number, attributes: readonly unknown[]) => ({
    ...{ traceId: trace, spanId: hex(spanId, 16), parentSpanId: hex(id, 16), name, kind: 3 },
    ...{ startTimeUnixNano: nanos(i, from), endTimeUnixNano: nanos(i, from + 900), attributes, status: {} },
  });
  const resource = { attributes: [attribute("service.name", "harbour")] };
  const line = (spans: readonly unknown[]): string =>
    JSON.stringify({ resourceSpans: [{ resource, scopeSpans: [{ scope: { name: "genai" }, spans }] }] });
  const named = attribute("gen_ai.conversation.id", "harbour-9");
  const sent: unknown[] = [{ role: "user", parts: [{ type: "text", content: prompt }] }];
  const made = steps.map((step, i) => {
    const call = { type: "tool_call", id: step.id, name: "read_tide", arguments: { day: step.day } };
    const answer = { role: "assistant", parts: [{ type: "text", content: step.said }, call] };
    const chat = span("chat", `${step.id}-m`, i, 0, [
      ...[attribute("gen_ai.operation.name", "chat"), attribute("gen_ai.request.model", "gpt-5.5"), named],
      ...[count("gen_ai.usage.input_tokens", 90), count("gen_ai.usage.output_tokens", 6)],
      attribute("gen_ai.input.messages", JSON.stringify(sent)),
      attribute("gen_ai.output.messages", JSON.stringify([answer])),
    ]);
    sent.push(answer, { role: "tool", parts: [{ type: "tool_call_response", id: step.id, response: step.result }] });
    const tool = span("execute_tool read_tide", `${step.id}-t`, i, 900, [
      ...[attribute("gen_ai.operation.name", "execute_tool"), attribute("gen_ai.tool.name", "read_tide"), named],
      ...[attribute("gen_ai.tool.call.id", step.id), attribute("gen_ai.tool.call.result", step.result)],
      attribute("gen_ai.tool.call.arguments", JSON.stringify({ day: step.day })),
    ]);
    return line([chat, tool]);
  });
  const about = [attribute("gen_ai.operation.name", "invoke_agent"), attribute("gen_ai.agent.name", "harbour"), named];
  const agent = { ...span("invoke_agent harbour", id, 0, 0, about), parentSpanId: "" };
  return [...made, line([{ ...agent, endTimeUnixNano: nanos(CONVERSATION) }])];
}

/** Attributes by their dotted names, as Phoenix exports them. */
export function flatSpans({ id, prompt, steps }: Conversation, n: number): readonly unknown[] {
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
