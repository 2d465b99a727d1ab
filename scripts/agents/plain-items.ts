// Items of a Responses request without what says nothing: ids, states, how a text is wrapped. A message of several parts is as many
// items, since a context says which texts were sent, and not which stood in one message; the texts of an output are one.

type Item = Readonly<Record<string, unknown>>;

export function plainItems(input: unknown): object[] {
  return Array.isArray(input) ? input.flatMap((item) => plainItem(item as Item)) : [];
}

function plainItem(item: Item): object[] {
  switch (item["type"]) {
    case "function_call": {
      const namespace = typeof item["namespace"] === "string" ? { namespace: item["namespace"] } : {};
      return [{ call: item["call_id"], name: item["name"], ...namespace, arguments: jsonOf(item["arguments"]) }];
    }
    case "function_call_output":
      return [{ result: item["call_id"], output: textsOf(item["output"]).join("\n") }];
    case "reasoning":
      return [{ reasoning: item["encrypted_content"] ?? textsOf(item["summary"]) }];
    default:
      return textsOf(item["content"]).map((text) => ({ role: item["role"], text }));
  }
}

/** The same of a Messages request: a message of several blocks is as many items. */
export function plainMessages(messages: unknown): object[] {
  if (!Array.isArray(messages)) return [];
  return messages.flatMap(({ role, content }: Item) =>
    (Array.isArray(content) ? content : [{ type: "text", text: content }]).flatMap((block: Item) =>
      plainBlock(block, role),
    ),
  );
}

/**
 * Texts of one role that follow each other as one: what an agent puts around a prompt is an event of its own here. Results of
 * parallel calls by their ids: a file has them in the order in which they came.
 */
export function joinedTexts(items: object[]): object[] {
  const joined: object[] = [];
  for (const item of byCall(items as Item[])) {
    const last = joined.at(-1) as Item | undefined;
    const isText = typeof item["text"] === "string" && typeof last?.["text"] === "string";
    if (isText && last["role"] === item["role"])
      joined[joined.length - 1] = { ...last, text: `${String(last["text"])}${String(item["text"])}` };
    else joined.push(item);
  }
  return joined;
}

function byCall(items: readonly Item[]): Item[] {
  const sorted: Item[] = [];
  let from = 0;
  for (const [i, item] of items.entries()) {
    if ("result" in item) continue;
    sorted.push(...resultsOf(items.slice(from, i)), item);
    from = i + 1;
  }
  return [...sorted, ...resultsOf(items.slice(from))];
}

const resultsOf = (items: readonly Item[]): Item[] =>
  items.toSorted((a, b) => (String(a["result"]) < String(b["result"]) ? -1 : 1));

function plainBlock(block: Item, role: unknown): object[] {
  switch (block["type"]) {
    case "tool_use":
      return [{ call: block["id"], name: block["name"], arguments: block["input"] }];
    case "tool_result":
      return [{ result: block["tool_use_id"], output: textsOf(block["content"]).join("\n") }];
    case "thinking":
      return [{ reasoning: block["thinking"] }];
    case "image":
      return [{ role, image: true }];
    default:
      return block["text"] === "" ? [] : [{ role, text: block["text"] }];
  }
}

/** The same of chat completions, without the system prompt. */
export function plainChat(messages: unknown): object[] {
  if (!Array.isArray(messages)) return [];
  return messages.flatMap((message: Item): object[] => {
    const { role, content } = message;
    if (role === "system" || role === "developer") return [];
    const texts = textsOf(content).join("\n");
    if (role === "tool") return [{ result: message["tool_call_id"], output: texts }];
    const calls = Array.isArray(message["tool_calls"]) ? (message["tool_calls"] as Item[]) : [];
    return [
      ...(Array.isArray(content) ? content : [{ type: "text", text: content }]).flatMap((part: Item): object[] =>
        part["type"] === "text"
          ? part["text"] === "" || part["text"] == null || isImageHeading(String(part["text"]))
            ? []
            : [{ role, text: part["text"] }]
          : [{ role, image: true }],
      ),
      ...calls.map((call) => {
        const { name, arguments: input } = call["function"] as Item;
        return { call: call["id"], name, arguments: jsonOf(input) };
      }),
    ];
  });
}

/** The same of Gemini's contents. Calls are matched by their order: the client's file gives them longer names. */
export function plainContents(contents: unknown): Item[] {
  if (!Array.isArray(contents)) return [];
  return contents.flatMap(({ role, parts }: Item): Item[] =>
    (Array.isArray(parts) ? (parts as Item[]) : []).flatMap((part): Item[] => {
      const call = part["functionCall"] as Item | undefined;
      const answer = part["functionResponse"] as Item | undefined;
      if (call !== undefined) return [{ call: call["name"], arguments: call["args"] }];
      if (answer !== undefined) {
        const response = answer["response"] as Item;
        const output = response["output"] ?? response["error"] ?? response["result"];
        return [{ result: answer["name"], output }, ...plainContents([{ role: "user", parts: answer["parts"] }])];
      }
      if (part["inlineData"] !== undefined) return [{ role, image: true }];
      const text = part["text"];
      return text === "" || text === undefined || part["thought"] === true || isImageHeading(String(text))
        ? []
        : [{ role, text }];
    }),
  );
}

/** A tool's images stand in a message of their own, below words of whoever made the request. */
const isImageHeading = (text: string): boolean =>
  text === "(attached media from previous tool call)" || text.startsWith("Attached to the result of ");

/** The texts of a content, empty ones left out. */
function textsOf(content: unknown): unknown[] {
  if (!Array.isArray(content)) return content === "" || content === undefined ? [] : [content];
  return content.map((part: Item) => part["text"] ?? part["image_url"] ?? part["type"]).filter((text) => text !== "");
}

function jsonOf(text: unknown): unknown {
  try {
    return JSON.parse(String(text));
  } catch {
    return text;
  }
}
