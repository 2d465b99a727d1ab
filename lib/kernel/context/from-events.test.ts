import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { eventBody, type EventBody } from "../event.ts";
import { CLEARED } from "./event-messages.ts";
import { contextMessages, eventsInContext } from "./from-events.ts";
import { callsOf, resultOf, type Message } from "./message.ts";
import { render } from "./render.ts";
import { RENDERERS } from "./renderers/index.ts";
import { anyLog, assistant, blanked, called, came, compacted, logOf, reasoning, user } from "./testing-events.ts";
import { requestProperty } from "./testing-requests.ts";

/** `s` system, `u` user, `a` an answer with its calls, `r` a result, each with its words. */
const outline = (messages: readonly Message[]): string[] =>
  messages.map((message) => {
    const found = resultOf(message);
    if (found !== null) return `r ${found.toolCallId} ${String(found.toolResult ?? found.toolError)}`;
    const calls = callsOf(message).map((call) => call.id);
    return [message.role[0], message.content, ...calls].filter((one) => one !== null).join(" ");
  });
const at = (log: Parameters<typeof contextMessages>[0], seq = log.length): string[] =>
  outline(contextMessages(log, seq));

describe("messages", () => {
  test("blocks of one model call are one message, whatever came between them", () => {
    const log = logOf(
      user("Do both."),
      [reasoning("Two tools."), { call: 1 }],
      [assistant("I will."), { call: 1 }],
      [called("1"), { call: 1 }],
      came("1", "one"),
      [called("2"), { call: 1 }],
      came("2", "two"),
      [assistant("Done."), { call: 2 }],
    );
    const messages = contextMessages(log, 8);
    expect(outline(messages)).toEqual(["u Do both.", "a I will. 1 2", "r 1 one", "r 2 two", "a Done."]);
    expect(messages[1]).toMatchObject({ reasoningContent: "Two tools.", seqs: [2, 3, 4, 6] });
    expect(messages[3]!.seqs).toEqual([7]);
  });

  test("blocks that no call names are one message where they meet", () => {
    const log = logOf(called("1"), assistant(""), came("1"), called("2"), called("3"), came("2"), assistant("End."));
    expect(at(log)).toEqual(["a 1", "r 1 ok", "a 2 3", "r 2 ok", "a End."]);
  });

  test("the context at an event ends with it", () => {
    const log = logOf(user("a"), assistant("b"), user("c"));
    expect([0, 1, 2, 3, 9].map((seq) => at(log, seq).length)).toEqual([0, 1, 2, 3, 3]);
  });

  test("what a client sent beside the conversation is there, and its notes are not", () => {
    const log = logOf(
      { type: "system", subtype: "base_instructions", text: "Be brief." },
      { type: "meta", subtype: "skill_listing", text: "skills", sent: "prefix" },
      { type: "meta", subtype: "title", text: "A title" },
      { type: "error", text: "Overloaded" },
      { type: "unknown", reason: "odd", text: "?" },
      user("Hi"),
    );
    expect(at(log)).toEqual(["s Be brief.", "u skills", "u Hi"]);
  });

  test("a result is what the model saw of it, whole where the event holds only its head", () => {
    const log = logOf(
      called("1"),
      { ...came("1", "preview"), saw: "preview" } as ReturnType<typeof came>,
      called("2"),
      came("2", "head"),
    );
    const whole = contextMessages(log, 4, { textOf: ({ seq }) => (seq === 4 ? "head and all the rest" : null) });
    expect(outline(whole)).toEqual(["a 1", "r 1 preview", "a 2", "r 2 head and all the rest"]);
  });

  test("a failed result is an error, also one without a word", () => {
    const messages = contextMessages(
      logOf(called("1"), came("1", "no such file", true), called("2"), came("2", "", true)),
      4,
    );
    expect([messages[1], messages[3]].map((message) => resultOf(message!)?.toolError)).toEqual([
      "no such file",
      "failed",
    ]);
  });

  test("a call without an id is answered by the first result without one, and odd names are made to fit", () => {
    const log = logOf(
      called(null, "files.read"),
      called(null, "find"),
      came(null, "a"),
      came(null, "b"),
      came(null, "c"),
    );
    const messages = contextMessages(log, 5);
    expect(callsOf(messages[0]!).map(({ id, name }) => [id, name])).toEqual([
      ["call_of_event_1", "files_read"],
      ["call_of_event_2", "find"],
    ]);
    expect(outline(messages).slice(1)).toEqual(["r call_of_event_1 a", "r call_of_event_2 b", "r  c"]);
  });

  test("a call that the provider ran has a result that says so, unless the log has one", () => {
    const hosted = (id: string) => ({ ...called(id, "web_search"), hosted: true }) as ReturnType<typeof called>;
    const outlined = at(logOf(hosted("1"), assistant("Found."), hosted("2"), came("2", "pages")));
    expect(outlined).toEqual(["a Found. 1 2", expect.stringMatching(/^r 1 The provider ran/), "r 2 pages"]);
  });

  test("a closing that an importer made up is left to the repair", () => {
    const log = logOf(called("1"), [came("1", "interrupted", true), { synthetic: true }], user("Go on"));
    expect(at(log)).toEqual(["a 1", "u Go on"]);
    const { request } = render(contextMessages(log, 3), "openai-chat");
    expect(request["messages"]).toHaveLength(3);
  });

  test("an image stands as its artifact's pointer where nobody gives its bytes", () => {
    const image = { mediaType: "image/png", attachment: 0, artifact: "art:1", width: null, height: null };
    const log = logOf({ type: "user", text: "Look", images: [image] });
    expect(contextMessages(log, 1)[0]!.imageUrls).toEqual(["art:1"]);
    const read = contextMessages(log, 1, { imageUrl: ({ mediaType }) => `data:${mediaType};base64,aW1hZ2U=` });
    expect(read[0]!.imageUrls).toEqual(["data:image/png;base64,aW1hZ2U="]);
  });
});

describe("compaction", () => {
  test("what a compaction cut is gone, what it kept stays, and its summary stands where the last cut event stood", () => {
    const log = logOf(
      { type: "system", subtype: "base", text: "Be brief." },
      user("one"),
      assistant("1"),
      [user("two"), { key: "kept" }],
      compacted("Summary.", ["kept"]),
      user("three"),
    );
    expect(at(log, 4)).toEqual(["s Be brief.", "u one", "a 1", "u two"]);
    expect(at(log, 5)).toEqual(["s Be brief.", "u Summary.", "u two"]);
    expect(at(log, 6)).toEqual(["s Be brief.", "u Summary.", "u two", "u three"]);
  });

  test("words of the user that a compaction kept from the start stand before its summary", () => {
    const log = logOf([user("goal"), { key: "goal" }], assistant("1"), compacted("Summary.", ["goal"]));
    expect(at(log)).toEqual(["u goal", "u Summary."]);
  });

  test("a summary that the agent wrote as a message is told once, where the compaction stands", () => {
    const log = logOf(
      user("one"),
      [assistant("tail"), { key: "kept" }],
      compacted("Conversation compacted", ["kept"]),
      user("The summary.", "summary"),
      user("two"),
    );
    expect(at(log, 3)).toEqual(["a tail"]);
    expect(at(log, 5)).toEqual(["u The summary.", "a tail", "u two"]);
  });

  test("a tail that begins before an earlier summary stands behind the later one", () => {
    const second = { ...compacted("Second."), keptFrom: "tail" } as EventBody;
    const log = logOf(
      user("one"),
      [user("two"), { key: "tail" }],
      compacted("First."),
      user("First.", "summary"),
      assistant("2"),
      second,
      user("Second.", "summary"),
      user("three"),
    );
    const sent = ["u Second.", "u two", "a 2", "u three"];
    expect(at(log)).toEqual(sent);
    const cut = { seq: 6, kind: "full", seqs: new Set([2, 5]) } as const;
    expect(outline(contextMessages(log, 8, { compactions: [cut] }))).toEqual(sent);
  });

  test("an answer that is the summary stands behind the question for it, before what was kept", () => {
    const log = logOf(
      user("one"),
      [user("two"), { key: "tail" }],
      { ...compacted("Summary."), keptFrom: "tail" } as EventBody,
      user("What did we do?", "summary"),
      assistant("Summary."),
      user("three"),
    );
    expect(at(log, 4)).toEqual(["u What did we do?", "u two"]);
    expect(at(log)).toEqual(["u What did we do?", "a Summary.", "u two", "u three"]);
    const cut = { seq: 3, kind: "full", seqs: new Set([2]) } as const;
    expect(outline(contextMessages(log, 5, { compactions: [cut] }))).toEqual(at(log, 5));
  });

  test("the last compaction decides alone, and instructions that were sent anew are told once", () => {
    const base = { type: "system", subtype: "base", text: "Be brief." } as const;
    const log = logOf(base, user("one"), compacted("First."), base, user("two"), compacted("Second."), user("three"));
    expect(at(log)).toEqual(["s Be brief.", "u Second.", "u three"]);
  });

  test("results that were blanked are so from there on", () => {
    const log = logOf(called("1"), came("1", "long"), blanked("1"), called("1"), came("1", "new"));
    expect(at(log, 2)).toEqual(["a 1", "r 1 long"]);
    expect(at(log)).toEqual(["a 1", `r 1 ${CLEARED}`, "a 1", "r 1 new"]);
  });

  test("what stands in place of a blanked result is what was sent, where the log has it", () => {
    const clearing = { ...blanked("1", "2"), text: "at /a\nat /b", blocks: [5, 5] } as EventBody;
    const log = logOf(called("1"), came("1", "long"), called("2"), came("2", "longer"), clearing);
    expect(at(log)).toEqual(["a 1", "r 1 at /a", "a 2", "r 2 at /b"]);
    const cut = { seq: 5, kind: "micro", seqs: new Set([2]), texts: new Map([[2, "at /a"]]) } as const;
    expect(outline(contextMessages(log, 5, { compactions: [cut] }))).toContain("r 1 at /a");
  });

  describe("a rewind", () => {
    const rewind = (after: string | null): EventBody => ({ type: "rewind", text: "", after });

    test("takes out what stands between its record and itself, from there on", () => {
      const log = logOf(user("one"), assistant("1"), user("two"), assistant("2"), rewind("r2"), user("three"));
      expect(at(log, 4)).toEqual(["u one", "a 1", "u two", "a 2"]);
      expect(at(log, 5)).toEqual(["u one", "a 1"]);
      expect(at(log)).toEqual(["u one", "a 1", "u three"]);
      const cut = { seq: 5, kind: "rewind", seqs: new Set([3, 4]) } as const;
      expect(outline(contextMessages(log, 6, { compactions: [cut] }))).toEqual(["u one", "a 1", "u three"]);
    });

    test("to the start leaves what stands before the conversation", () => {
      const part: EventBody = { type: "meta", subtype: "x", text: "You are a pilot.", sent: "prefix", part: "p" };
      expect(at(logOf(part, user("one"), rewind(null), user("two")))).toEqual(["u You are a pilot.", "u two"]);
    });

    test("comes again, also to before the last one", () => {
      const log = logOf(user("one"), user("two"), rewind("r1"), user("three"), rewind(null), user("four"));
      expect(at(log, 4)).toEqual(["u one", "u three"]);
      expect(at(log)).toEqual(["u four"]);
    });

    test("to before a compaction has what that cut again; one behind it does not", () => {
      const log = logOf(user("one"), user("two"), compacted("Summary."), user("three"), rewind("r1"), user("four"));
      expect(at(log, 4)).toEqual(["u Summary.", "u three"]);
      expect(at(log)).toEqual(["u one", "u four"]);
      const behind = logOf(user("one"), compacted("Summary."), user("two"), user("three"), rewind("r3"), user("four"));
      expect(at(behind)).toEqual(["u Summary.", "u two", "u four"]);
    });

    test("to a record that the log does not have takes nothing out", () => {
      expect(at(logOf(user("one"), rewind("elsewhere"), user("two")))).toEqual(["u one", "u two"]);
    });
  });

  test("what a clearing took out beside results is gone, and what came under its key later is not", () => {
    const file: EventBody = { type: "meta", subtype: "file", text: "a file", sent: "user" };
    const clearing = { ...blanked(), clearedRecords: ["file"] } as EventBody;
    const log = logOf([file, { key: "file" }], user("one"), clearing, [file, { key: "file" }]);
    expect(at(log, 2)).toEqual(["u a file", "u one"]);
    expect(at(log, 3)).toEqual(["u one"]);
    expect(at(log, 4)).toEqual(["u one", "u a file"]);
    const compaction = { seq: 3, kind: "micro", seqs: new Set([1]) } as const;
    expect(outline(contextMessages(log, 3, { compactions: [compaction] }))).toEqual(["u one"]);
  });

  test("compactions that the caller resolved count, and one that was undone does not", () => {
    const log = logOf(user("one"), user("two"), compacted("Summary."), user("three"));
    expect(outline(contextMessages(log, 4, { compactions: [] }))).toEqual(["u one", "u two", "u three"]);
    const compaction = { seq: 3, kind: "full", seqs: new Set([2]) } as const;
    expect(outline(contextMessages(log, 4, { compactions: [compaction] }))).toEqual(["u Summary.", "u two", "u three"]);
    const micro = { seq: 2, kind: "micro", seqs: new Set([2]) } as const;
    const results = logOf(called("1"), came("1", "long"));
    expect(outline(contextMessages(results, 2, { compactions: [micro] }))).toEqual(["a 1", `r 1 ${CLEARED}`]);
  });

  test("a compaction that covers a part leaves the tail behind its summary", () => {
    const log = logOf(user("one"), user("two"), user("three"), compacted("Summary."), user("four"));
    const covers = log.map((event) => (event.seq === 4 ? { ...event, covers: 1 } : event));
    expect(at(covers)).toEqual(["u Summary.", "u two", "u three", "u four"]);
  });
});

test("what a provider wants back with a call goes back as it came", () => {
  const thinking = { type: "thinking", thinking: "Hm.", signature: "c2ln" };
  const native = { provider: "anthropic", messageContent: [thinking] };
  const log = logOf(
    user("Go"),
    [reasoning("Hm."), { call: 1 }],
    [eventBody.parse({ ...called("a"), native }), { call: 1 }],
    came("a"),
  );
  const { request, leftOut } = render(contextMessages(log, 4), "anthropic");
  expect(request.messages[1]!.content).toEqual([thinking, { type: "tool_use", id: "a", name: "run", input: {} }]);
  expect(leftOut).toEqual([]);
});

describe("any log", () => {
  test.each(RENDERERS.map(({ id }) => id))(
    "at any event %s gets a request that it takes, each call with one result",
    (id) => {
      fc.assert(requestProperty(id));
    },
  );

  test("no call that is in the context is lost on the way to a provider", () => {
    fc.assert(
      fc.property(anyLog, fc.nat({ max: 21 }), (log, seq) => {
        const inContext = eventsInContext(log, seq).filter(({ body }) => body.type === "tool_call");
        const messages = contextMessages(log, seq);
        expect(messages.flatMap(callsOf)).toHaveLength(inContext.length);
        const lost = render(messages, "openai-chat").leftOut.filter(({ what }) => what === "call");
        // Two calls of one answer that share an id are one to every provider.
        const twice = messages.flatMap(
          (message) => callsOf(message).length - new Set(callsOf(message).map(({ id }) => id)).size,
        );
        expect(lost.reduce((sum, { count }) => sum + count, 0)).toBe(twice.reduce((sum, one) => sum + one, 0));
      }),
    );
  });

  test("every message names the events that it was made of, each event once, in the context or not at all", () => {
    fc.assert(
      fc.property(anyLog, fc.nat({ max: 21 }), (log, seq) => {
        const seqs = contextMessages(log, seq).flatMap((message) => message.seqs);
        expect(new Set(seqs).size).toBe(seqs.length);
        const inContext = new Set(eventsInContext(log, seq).map((event) => event.seq));
        expect(seqs.every((one) => inContext.has(one) && one <= seq)).toBe(true);
      }),
    );
  });
});
