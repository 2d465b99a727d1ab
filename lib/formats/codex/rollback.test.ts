// Turns that were taken back. All are written by hand.
import { expect, test } from "vitest";
import { at, bodies, events, parse } from "./testing-codex.ts";

const words = (role: string, text: string) =>
  at(
    { type: "message", role, content: [{ type: role === "user" ? "input_text" : "output_text", text }] },
    "response_item",
  );
const taken = (turns: unknown) => at({ type: "thread_rolled_back", num_turns: turns }, "event_msg");
const turn = (number: number) => [
  at({ turn_id: `0199aaaa-0000-7000-8000-00000000000${number}`, model: "gpt-5-codex" }, "turn_context"),
  words("user", `Question ${number}`),
  words("assistant", `Answer ${number}`),
];
const session = (...rest: ReturnType<typeof at>[]) =>
  parse(at({ id: "0199aaaa-0000-7000-8000-0000000000aa", cwd: "/sea" }, "session_meta"), ...rest);

test("turns that were taken back left the context, from their first prompt on", () => {
  const drafts = session(...turn(1), ...turn(2), ...turn(3), taken(2), ...turn(4));
  const rewind = bodies(drafts).find(({ type }) => type === "rewind");
  expect(rewind).toMatchObject({ text: "The last 2 turns were removed from the context." });
  const prompts = events(drafts).filter(({ body }) => body.type === "user");
  const before = events(drafts).at(events(drafts).indexOf(prompts[1]!) - 1)!;
  expect(before.body).toMatchObject({ type: "meta", subtype: "turn_context" });
  expect(rewind).toMatchObject({ after: before.recordKey });
});

test("turns before one that was taken back can be taken back too, and more than there are leave the beginning", () => {
  const drafts = session(...turn(1), ...turn(2), taken(1), taken(9));
  const [first, second] = bodies(drafts).flatMap((body) => (body.type === "rewind" ? [body.after] : []));
  const prompts = events(drafts).filter(({ body }) => body.type === "user");
  const before = prompts.map((prompt) => events(drafts).at(events(drafts).indexOf(prompt) - 1)!.recordKey);
  expect([first, second]).toEqual([before[1], before[0]]);
});

test("of a long session the last prompts are known: what reaches behind them is a note", () => {
  const many = Array.from({ length: 9 }, (_, index) => turn(index + 1)).flat();
  expect(bodies(session(...many, taken(5))).at(-1)).toMatchObject({ type: "rewind" });
  expect(bodies(session(...many, taken(6))).at(-1)).toMatchObject({ type: "meta", subtype: "thread_rolled_back" });
});

test("behind one whose turns are not known no other takes back prompts that may be gone", () => {
  const many = Array.from({ length: 9 }, (_, index) => turn(index + 1)).flat();
  const types = (...rest: ReturnType<typeof at>[]) =>
    bodies(session(...many, taken(6), ...turn(1), ...rest)).flatMap((body) =>
      body.type === "rewind" || (body.type === "meta" && body.subtype === "thread_rolled_back") ? [body.type] : [],
    );
  expect(types(taken(2))).toEqual(["meta", "meta"]);
  expect(types(taken(1))).toEqual(["meta", "rewind"]);
});

test("no number of turns, or no prompt, is a note", () => {
  for (const turns of [0, "two", undefined])
    expect(bodies(session(...turn(1), taken(turns))).at(-1)).toMatchObject({
      type: "meta",
      subtype: "thread_rolled_back",
    });
  expect(bodies(session(taken(1))).at(-1)).toMatchObject({ type: "meta", subtype: "thread_rolled_back" });
});
