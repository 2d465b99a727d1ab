// Sessions of a few lines whose cost is worked out by hand, in the comment of each. Dollars a million tokens:
//   claude-sonnet-4-5  3 in, 15 out, reads 0.30, writes 3.75 (one hour 6); a prompt over 200,000: 6, 22.50, 0.60, 7.50
//   claude-opus-4-5    5 in, 25 out, reads 0.50, writes 6.25 (one hour 10)
//   claude-haiku-4-5   1 in, 5 out, reads 0.10, writes 1.25 (one hour 2)
//   gpt-5.4            2.50 in, 15 out, cached 0.25
// A web search costs 0.01.
import {
  answered,
  bySubagent,
  codexAnswer,
  copied,
  counted,
  rollout,
  said,
  shown,
  uuid,
  type Line,
} from "./usage-lines.ts";

/** What `plimsoll show --json` must say of one session. */
export type Expected = {
  /** Native id without format. */
  readonly session: string;
  /** Calls of its own, and inherited ones. */
  readonly calls: readonly [own: number, inherited: number];
  readonly usd: number | null;
  readonly inheritedUsd?: number;
  /** Reasons why the true cost is more. */
  readonly atLeast?: number;
  readonly unpriced?: number;
  readonly output?: number;
  readonly reasoning?: number;
  readonly webSearches?: number;
  readonly from?: "progress";
};

export type Case = {
  readonly name: string;
  readonly files: Readonly<Record<string, readonly Line[]>>;
  readonly expected: readonly Expected[];
};

const SONNET = "claude-sonnet-4-5-20250929";
const OPUS = "claude-opus-4-5-20251101";
const HAIKU = "claude-haiku-4-5-20251001";

const file = (session: number): string => `p/${uuid(session)}.jsonl`;
const agentFile = (session: number, agentId: string): string => `p/${uuid(session)}/subagents/agent-${agentId}.jsonl`;

/** A question and its answer of 1,000 new tokens, 10,000 read and 100 out with Sonnet: 0.003 + 0.003 + 0.0015 = 0.0075. */
const step = (session: number, n: number): Line[] => [
  said(session, n, `Step ${n}`),
  answered(session, n + 1, { id: `s${n}`, model: SONNET, tokens: { input: 1000, read: 10_000, output: 100 } }),
];
const STEP_USD = 0.0075;

export const CASES: readonly Case[] = [
  {
    name: "five-minute writes; an answer of three lines is one call, with the largest count of each",
    // 1,000 × 3 + 10,000 × 0.30 + 2,000 × 3.75 + 500 × 15 = 3,000 + 3,000 + 7,500 + 7,500 = 21,000 → $0.021
    files: {
      [file(1)]: [
        said(1, 10, "Look"),
        ...[1, 40, 500].map((output, n) =>
          answered(1, 11 + n, {
            id: "a",
            model: SONNET,
            tokens: { input: 1000, read: 10_000, write: 2000, output },
            ...(n < 2 && { streaming: true as const }),
          }),
        ),
      ],
    },
    expected: [{ session: uuid(1), calls: [1, 0], usd: 0.021, output: 500 }],
  },
  {
    name: "one-hour writes cost twice the input, beside five-minute ones",
    // 100 × 5 + 2,000 × 10 + 1,000 × 6.25 + 100 × 25 = 500 + 20,000 + 6,250 + 2,500 = 29,250 → $0.02925
    files: {
      [file(2)]: [
        said(2, 10, "Look"),
        answered(2, 11, { id: "b", model: OPUS, tokens: { input: 100, write: 3000, write1h: 2000, output: 100 } }),
      ],
    },
    expected: [{ session: uuid(2), calls: [1, 0], usd: 0.02925 }],
  },
  {
    name: "a fork copies two calls and makes one",
    // Two steps are the origin's own, 2 × 0.0075; the fork's own is one, and it inherits two.
    files: {
      [file(3)]: [...step(3, 10), ...step(3, 20)],
      [file(4)]: [...[...step(3, 10), ...step(3, 20)].map((line) => copied(line, 4)), ...step(4, 30)],
    },
    expected: [
      { session: uuid(3), calls: [2, 0], usd: 2 * STEP_USD },
      { session: uuid(4), calls: [1, 2], usd: STEP_USD, inheritedUsd: 2 * STEP_USD },
    ],
  },
  {
    name: "a resume of a resume: each file holds the one before",
    // One step of its own each: 0.0075.
    files: {
      [file(5)]: step(5, 10),
      [file(6)]: [...step(5, 10).map((line) => copied(line, 6)), ...step(6, 20)],
      [file(7)]: [...[...step(5, 10), ...step(6, 20)].map((line) => copied(line, 7)), ...step(7, 30)],
    },
    expected: [
      { session: uuid(5), calls: [1, 0], usd: STEP_USD },
      { session: uuid(6), calls: [1, 1], usd: STEP_USD, inheritedUsd: STEP_USD },
      { session: uuid(7), calls: [1, 2], usd: STEP_USD, inheritedUsd: 2 * STEP_USD },
    ],
  },
  {
    name: "a resume that writes its copies under new record ids: the message's and the request's id are the same",
    files: {
      [file(8)]: step(8, 10),
      [file(9)]: [...step(9, 10).map((line, n) => ({ ...line, uuid: uuid(900 + n) })), ...step(9, 50), ...step(9, 60)],
    },
    expected: [
      { session: uuid(8), calls: [1, 0], usd: STEP_USD },
      { session: uuid(9), calls: [2, 1], usd: 2 * STEP_USD, inheritedUsd: STEP_USD },
    ],
  },
  {
    name: "a side question replays two of five calls: five are true, not seven",
    // 5 × 0.0075; the side question's own cost is nothing.
    files: {
      [file(10)]: [10, 20, 30, 40, 50].flatMap((n) => step(10, n)),
      [agentFile(10, "aside_question-1")]: [10, 20]
        .flatMap((n) => step(10, n))
        .map((line, n) => bySubagent({ ...line, uuid: uuid(910 + n) }, "aside_question-1")),
    },
    expected: [
      { session: uuid(10), calls: [5, 0], usd: 5 * STEP_USD },
      { session: `${uuid(10)}/aside_question-1`, calls: [0, 2], usd: 0, inheritedUsd: 2 * STEP_USD },
    ],
  },
  {
    name: "a sidechain inside its parent's file replays a call too",
    files: {
      [file(11)]: [
        ...step(11, 10),
        ...step(11, 20),
        ...step(11, 10).map((line, n) => bySubagent({ ...line, uuid: uuid(920 + n) }, "b1")),
      ],
    },
    expected: [
      { session: uuid(11), calls: [2, 0], usd: 2 * STEP_USD },
      { session: `${uuid(11)}/b1`, calls: [0, 1], usd: 0, inheritedUsd: STEP_USD },
    ],
  },
  {
    name: "calls that only progress lines hold count, as a session of their own",
    // Haiku, two calls: 100 × 1 + 4,000 × 1.25 + 10 × 5 = 5,150 and 50 × 1 + 4,000 × 0.10 + 20 × 5 = 550 → $0.0057
    files: { [file(12)]: [...step(12, 10), ...progressLines(12)] },
    expected: [
      { session: uuid(12), calls: [1, 0], usd: STEP_USD },
      { session: `${uuid(12)}/x.progress`, calls: [2, 0], usd: 0.0057, atLeast: 1, from: "progress" },
    ],
  },
  {
    name: "they yield nothing where the agent's own file is",
    // The file has the end of the stream: 90 and 200 out instead of 10 and 20. 5,550 + 1,450 = 7,000 → $0.007
    files: {
      [file(13)]: [...step(13, 10), ...progressLines(13)],
      [agentFile(13, "x")]: agentLines(13, [90, 200]).map((line) => bySubagent(line, "x")),
    },
    expected: [
      { session: uuid(13), calls: [1, 0], usd: STEP_USD },
      { session: `${uuid(13)}/x`, calls: [2, 0], usd: 0.007 },
    ],
  },
  {
    name: "the count at the start of a stream makes the cost a lower bound",
    // 1,000 × 3 + 1 × 15 = 3,015 → at least $0.003015, and a step.
    files: {
      [file(14)]: [
        said(14, 10, "Look"),
        answered(14, 11, { id: "p", model: SONNET, tokens: { input: 1000, output: 1 }, streaming: true }),
        ...step(14, 20),
      ],
    },
    expected: [{ session: uuid(14), calls: [2, 0], usd: 0.003015 + STEP_USD, atLeast: 1, output: 101 }],
  },
  {
    name: "a prompt over 200,000 tokens is dearer, one of exactly 200,000 is not",
    // 250,000: 50,000 × 6 + 200,000 × 0.60 + 1,000 × 22.50 = 300,000 + 120,000 + 22,500 → $0.4425
    // 200,000: 50,000 × 3 + 150,000 × 0.30 + 1,000 × 15 = 150,000 + 45,000 + 15,000 → $0.21
    files: {
      [file(15)]: [
        said(15, 10, "Look"),
        answered(15, 11, { id: "t1", model: SONNET, tokens: { input: 50_000, read: 200_000, output: 1000 } }),
        answered(15, 12, { id: "t2", model: SONNET, tokens: { input: 50_000, read: 150_000, output: 1000 } }),
      ],
    },
    expected: [{ session: uuid(15), calls: [2, 0], usd: 0.6525 }],
  },
  {
    name: "Codex: reasoning is part of output, and a count that is told again is no call",
    // 6,000 × 2.50 + 4,000 × 0.25 + 500 × 15 = 15,000 + 1,000 + 7,500 = 23,500
    // 1,000 × 2.50 + 9,000 × 0.25 + 100 × 15 = 2,500 + 2,250 + 1,500 = 6,250 → together $0.02975
    files: {
      [`rollout-2026-06-01T09-00-00-${uuid(16)}.jsonl`]: [
        ...rollout(16, "gpt-5.4"),
        codexAnswer(2),
        ...[3, 4].map((second) =>
          counted(
            second,
            { input: 10_000, cached: 4000, output: 500, reasoning: 200 },
            { input: 10_000, cached: 4000, output: 500, reasoning: 200 },
          ),
        ),
        codexAnswer(5),
        ...[6, 7].map((second) =>
          counted(
            second,
            { input: 10_000, cached: 9000, output: 100, reasoning: 0 },
            { input: 20_000, cached: 13_000, output: 600, reasoning: 200 },
          ),
        ),
      ],
    },
    expected: [{ session: uuid(16), calls: [2, 0], usd: 0.02975, output: 600, reasoning: 200 }],
  },
  {
    name: "a model without a price hides nothing of what is known",
    files: {
      [file(17)]: [
        ...step(17, 10),
        said(17, 20, "Look"),
        answered(17, 21, { id: "u", model: "nobody-sells-this-1", tokens: { input: 500, output: 5 } }),
      ],
    },
    expected: [{ session: uuid(17), calls: [2, 0], usd: STEP_USD, atLeast: 1, unpriced: 1 }],
  },
  {
    name: "a session of such a model alone has no cost",
    files: {
      [file(18)]: [
        said(18, 20, "Look"),
        answered(18, 21, { id: "v", model: "nobody-sells-this-1", tokens: { input: 500, output: 5 } }),
      ],
    },
    expected: [{ session: uuid(18), calls: [1, 0], usd: null, atLeast: 1, unpriced: 1 }],
  },
  {
    name: "web searches cost a cent each",
    // 1,000 × 3 + 100 × 15 = 4,500 → 0.0045, and 3 × 0.01
    files: {
      [file(19)]: [
        said(19, 10, "Look it up"),
        answered(19, 11, { id: "w", model: SONNET, tokens: { input: 1000, output: 100, searches: 3 } }),
      ],
    },
    expected: [{ session: uuid(19), calls: [1, 0], usd: 0.0345, webSearches: 3 }],
  },
  {
    name: "lines that the client wrote itself are no calls",
    files: {
      [file(20)]: [
        ...step(20, 10),
        answered(20, 30, { id: "y", model: "<synthetic>", tokens: { input: 9000, output: 9000 } }),
      ],
    },
    expected: [{ session: uuid(20), calls: [1, 0], usd: STEP_USD, output: 100 }],
  },
];

/** Two calls of an agent of Haiku, with so many tokens out. */
function agentLines(session: number, [first, second]: readonly [number, number], streaming?: true): Line[] {
  const stream = streaming === true ? { streaming } : {};
  return [
    said(session, 100, "Look around"),
    answered(session, 101, {
      id: `x1-${session}`,
      model: HAIKU,
      tokens: { input: 100, write: 4000, output: first },
      ...stream,
    }),
    answered(session, 102, {
      id: `x2-${session}`,
      model: HAIKU,
      tokens: { input: 50, read: 4000, output: second },
      ...stream,
    }),
  ];
}

function progressLines(session: number): Line[] {
  return agentLines(session, [10, 20], true).map((line, n) => shown(session, 200 + n, "x", line));
}
