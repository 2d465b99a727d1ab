// An answer as one message: a stream's events put together, as the provider gives it to who does not stream. What is no event
// of the provider's is left out; the text as it came is recorded beside it.
import type { CapturedApi } from "./captured-record.ts";
import { joinedAnswer } from "./joined-answer.ts";

type Json = Readonly<Record<string, unknown>>;

export type ReadAnswer = Json | null;

/** Null where nothing of it could be read. */
export function readAnswer(text: string, api: CapturedApi): ReadAnswer {
  const whole = parsed(text);
  if (whole !== null) return whole;
  const events = eventsIn(text);
  if (events.length === 0) {
    // Gemini streams a JSON list where no server-sent events were asked for.
    return api === "gemini" ? joinedAnswer(api, listIn(text)) : null;
  }
  return joinedAnswer(api, events);
}

/** The data of server-sent events that is JSON. */
function eventsIn(text: string): Json[] {
  return text.split(/\r\n\r\n|\n\n|\r\r/).flatMap((event) => {
    const data = event
      .split(/\r\n|\n|\r/)
      .flatMap((line) => (line.startsWith("data:") ? [line.slice(5).replace(/^ /, "")] : []))
      .join("\n");
    const value = data === "" ? null : parsed(data);
    return value === null ? [] : [value];
  });
}

function listIn(text: string): Json[] {
  try {
    return [JSON.parse(text)].flat().filter(isObject);
  } catch {
    return [];
  }
}

function parsed(text: string): Json | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);
