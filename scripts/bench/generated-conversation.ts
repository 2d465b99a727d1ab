// A conversation of an agent with calls of one tool: what generated documents of other tools hold. Texts are some hundred bytes to 2 kB long.

/** Calls of a conversation. */
export const CONVERSATION = 30;

const WORDS = "harbour keel tiller anchor ballast mooring capstan barnacle wake tide quay sluice buoy rudder".split(
  " ",
);

/** Another text for each number. */
const textOf = (n: number): string =>
  `${n} ${Array.from({ length: 40 + ((n * 37) % 240) }, (_, i) => WORDS[(n * 31 + i * 7 + (i % 5)) % WORDS.length]).join(" ")}`;

export type Step = {
  readonly id: string;
  readonly said: string;
  readonly day: number;
  readonly result: string;
};
export type Conversation = {
  readonly id: string;
  readonly prompt: string;
  readonly steps: readonly Step[];
};

export function conversation(n: number): Conversation {
  const steps = Array.from({ length: CONVERSATION }, (_, i): Step => {
    const at = n * 2 * CONVERSATION + 2 * i;
    return {
      id: `call_${n}_${i}`,
      said: textOf(at),
      day: i,
      result: textOf(at + 1),
    };
  });
  return { id: `run-${n}`, prompt: textOf(n), steps };
}

/** Time of a step: they follow each other. */
export const at = (n: number, i: number, ms = 0): string =>
  new Date(Date.UTC(2026, 3, 1) + (n * 2 * CONVERSATION + i) * 2000 + ms).toISOString();
