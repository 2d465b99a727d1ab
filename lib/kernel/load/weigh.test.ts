import fc from "fast-check";
import { expect, test } from "vitest";
import { EVENT_TYPES, eventBody, type EventBody } from "../event.ts";
import { imageEstimates } from "./image-tokens.ts";
import { toolSummary } from "../log/tool-summary.ts";
import { categoryOf, extraTokens, labelOf, weighsByText } from "./weigh.ts";

const samples: Record<(typeof EVENT_TYPES)[number], EventBody> = {
  user: { type: "user", text: "u" },
  assistant: { type: "assistant", text: "a" },
  reasoning: { type: "reasoning", text: "r" },
  tool_call: { type: "tool_call", toolCallId: "t", toolName: "Bash", input: { command: "ls" } },
  tool_result: { type: "tool_result", toolCallId: "t", text: "o", isError: false, saw: "full" },
  system: { type: "system", subtype: "prompt", text: "s" },
  compaction: { type: "compaction", kind: "full", trigger: null, tokensBefore: null, tokensAfter: null, text: "" },
  rewind: { type: "rewind", text: "", after: null },
  error: { type: "error", text: "e" },
  meta: { type: "meta", subtype: "mode", text: "m" },
  unknown: { type: "unknown", reason: "x", text: "y" },
};
const image = (width: number | null, height: number | null) => ({
  mediaType: "image/png",
  attachment: 0,
  artifact: null,
  width,
  height,
});

test("every type of event is weighed in its category, or not at all", () => {
  for (const body of Object.values(samples)) expect(eventBody.safeParse(body).success).toBe(true);
  const categories = Object.fromEntries(EVENT_TYPES.map((type) => [type, categoryOf(samples[type])]));
  expect(categories).toEqual({
    user: "user",
    assistant: "assistant",
    reasoning: "reasoning",
    tool_call: "call",
    tool_result: "result",
    system: "prefix",
    compaction: null,
    rewind: null,
    error: null,
    meta: null,
    unknown: null,
  });
  expect(categoryOf({ type: "user", text: "…", injected: "summary" })).toBe("memory");
  expect(categoryOf({ type: "user", text: "…", injected: "reminder" })).toBe("user");
  const cleared = { ...samples.compaction, kind: "micro", text: "short", cleared: ["t"] } as const;
  expect(categoryOf(cleared as EventBody)).toBeNull();
  expect(categoryOf({ ...cleared, blocks: [5] } as EventBody)).toBe("result");
});

test("an image weighs width × height ÷ 750, at most 1,600; an unknown one 1,550", () => {
  const tokens = (...images: ReturnType<typeof image>[]): number => extraTokens({ type: "user", text: "", images });
  expect(tokens(image(300, 250))).toBe(100);
  expect(tokens(image(5000, 5000))).toBe(1600);
  expect(tokens(image(null, null))).toBe(1550);
  expect(tokens(image(300, 250), image(null, 4))).toBe(1650);
  expect(extraTokens(samples.user)).toBe(0);
});

test("reasoning that only a signature stands for weighs by that, and not twice", () => {
  const signed: EventBody = { type: "reasoning", text: "a summary", signatureChars: 1000 };
  expect(extraTokens(signed)).toBe(195);
  expect(weighsByText(signed)).toBe(false);
  expect(weighsByText(samples.reasoning)).toBe(true);
  expect(weighsByText(samples.meta)).toBe(false);
});

test("a label tells one call from another, in one short line", () => {
  expect(labelOf(samples.tool_call)).toBe("Bash ls");
  expect(labelOf({ ...samples.tool_call, input: { file_path: "/a/b/c/tides.txt", command: "" } } as EventBody)).toBe(
    "Bash c/tides.txt",
  );
  expect(labelOf({ ...samples.tool_call, input: { command: ["git", "log"] } } as EventBody)).toBe("Bash git log");
  expect(labelOf({ type: "user", text: `  many\n\nlines\tof ${"words ".repeat(90)}` })).toMatch(
    /^many lines of (words )+.*…$/,
  );
  expect(labelOf(samples.compaction)).toBe("Compaction");
});

test("no input, of whatever shape, breaks a label or makes it long", () => {
  const keys = fc.oneof(fc.constantFrom("__proto__", "constructor", "command", "path", "toString"), fc.string());
  fc.assert(
    fc.property(fc.oneof(fc.anything(), fc.object({ key: keys })), fc.string(), (input, toolName) => {
      expect(labelOf({ type: "tool_call", toolCallId: null, toolName, input }).length).toBeLessThanOrEqual(120);
    }),
  );
});

test("a command is named by what it does, not by the folder that it goes to first", () => {
  const labelled = (command: string): string => toolSummary("Bash", { command });
  expect(labelled("cd /home/ada/harbour && npm test")).toBe("npm test");
  expect(labelled(`cd "/a b" ; cd x && ls`)).toBe("cd x && ls");
  expect(labelled("cd /home/ada")).toBe("cd /home/ada");
  expect(labelled("cdrecord x && y")).toBe("cdrecord x && y");
});

test("an image weighs here what its own page says of it", () => {
  for (const [width, height] of [
    [2000, 400],
    [800, 600],
    [3000, 3000],
  ] as const) {
    const image = { mediaType: "image/png", attachment: 0, artifact: null, width, height };
    const [anthropic] = imageEstimates(width, height);
    expect(extraTokens({ type: "user", text: "", images: [image] })).toBe(anthropic!.tokens);
  }
});
