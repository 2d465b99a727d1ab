// A conversation of an agent with calls of one tool: what generated documents of other tools hold. Texts are some hundred bytes to 2 kB long.
import { textOf } from "./generated-text.ts";

/** Calls of a conversation. */
export const CONVERSATION = 30;

/** Another text for each number. */
const said = (n: number): string => `${n} ${textOf(n, 40 + ((n * 37) % 240))}`;

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
      said: said(at),
      day: i,
      result: said(at + 1),
    };
  });
  return { id: `run-${n}`, prompt: said(n), steps };
}

/** Time of a step: they follow each other. */
export const at = (n: number, i: number, ms = 0): string =>
  new Date(Date.UTC(2026, 3, 1) + (n * 2 * CONVERSATION + i) * 2000 + ms).toISOString();
