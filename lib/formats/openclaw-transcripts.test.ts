// OpenClaw's first generation: pi's entries, with a channel around them. All records are written by hand.
import { expect, test } from "vitest";
import { bodies, calls, events, patches } from "./codex/testing-codex.ts";
import { openclaw } from "./openclaw.ts";
import { pi } from "./pi.ts";
import { parted } from "./pi/channel-metadata.ts";
import { answer, entry, header, message, runPi, said, SESSION, user } from "./pi/testing-pi.ts";
import { linesOf } from "./codex/testing-codex.ts";

const read = (...values: unknown[]) =>
  runPi(values, { format: openclaw, path: "/s/agents/main/sessions/a.jsonl" }).drafts;
const detectedBy = (path: string, ...values: unknown[]): string[] => {
  const file = { path, head: linesOf(...values), sidecars: new Map() };
  return [pi, openclaw].filter((format) => format.detect(file)).map(({ id }) => id);
};

test("its folder, its profiles and its older name are looked in, or the one that the environment names", () => {
  expect(openclaw.sources({ HOME: "/home/ada" }, "linux")).toEqual([
    "/home/ada/.openclaw/agents",
    "/home/ada/.openclaw-*/agents",
    "/home/ada/.clawdbot*/agents",
  ]);
  expect(openclaw.sources({ HOME: "/home/ada", OPENCLAW_STATE_DIR: "~/claw" }, "linux")).toEqual([
    "/home/ada/claw/agents",
  ]);
});

test("a transcript is told from pi's by where it lies, where it works, or a mark of its own", () => {
  const plain = [header(), message(1, user("Hello"))];
  expect(detectedBy("/home/ada/.pi/agent/sessions/--x--/a.jsonl", ...plain)).toEqual(["pi"]);
  expect(detectedBy("/data/agents/main/sessions/a.jsonl", ...plain)).toEqual(["openclaw"]);
  expect(detectedBy("a.jsonl", header({ cwd: "/home/ada/.openclaw-dev/workspace" }))).toEqual(["openclaw"]);
  expect(detectedBy("a.jsonl", header(), entry(1, "custom", { customType: "model-snapshot" }))).toEqual(["openclaw"]);
  expect(detectedBy("a.jsonl", header(), message(1, user("Sender (untrusted metadata):\nx\n\nHello")))).toEqual([
    "openclaw",
  ]);
});

test("what OpenClaw put aside is known by its name", () => {
  const name = "/home/ada/.openclaw/agents/main/sessions/7c1d.jsonl";
  expect(openclaw.archivedAs?.(`${name}.reset.2026-02-16T22-26-33.000Z`)).toBe("reset");
  expect(openclaw.archivedAs?.(`${name}.deleted.2026-02-16T22-26-33.000Z.zst`)).toBe("deleted");
  for (const other of [name, `${name}.bak`, `${name}.deleted.notes`, `${name}.reset.x`])
    expect(openclaw.archivedAs?.(other)).toBeNull();
  expect(openclaw.wants(name)).toBe(true);
  expect(openclaw.wants(name.replace(".jsonl", ".trajectory.jsonl"))).toBe(false);
  expect(openclaw.wants(name.replace(".jsonl", ".checkpoint.7c1d2e3f-0000-4000-8000-00000000b001.jsonl"))).toBe(false);
});

test("what a channel put around the words stands apart, and the words are the prompt", () => {
  const block = 'Conversation info (untrusted metadata):\n```json\n{"message_id":"41"}\n```\n';
  const drafts = read(header(), message(1, user(`${block}\nIs the harbour open?`)));
  const [metadata, prompt] = events(drafts).slice(-2);
  expect(metadata).toMatchObject({ startsTurn: false, body: { injected: "channel_metadata" } });
  expect(prompt).toMatchObject({ startsTurn: true, body: { type: "user", text: "Is the harbour open?" } });
  expect(patches(drafts)["title"]).toBe("Is the harbour open?");
});

test.each([
  "Hello",
  "Sender (untrusted metadata):\n```json\n{}\n```\n\nHello\n\nthere",
  "Conversation: ⟦openclaw:ctx⟧\nid: 4\n\nHello\nReplied message (untrusted, for context):\nold words\n\nthere",
  "Sender (untrusted metadata):\n```json\n{}",
  "Is (untrusted) a word?",
])("the parts of a message are the message: %j", (text) => {
  const parts = parted(text);
  expect(parts.map((part) => part.text).join("\n")).toBe(text);
  expect(parts.filter(({ isMetadata }) => !isMetadata).every((part) => !part.text.includes("metadata):\n"))).toBe(true);
});

test("an echo of what was delivered is neither shown twice nor counted", () => {
  const echo = (model: string, text: string) =>
    answer([said(text)], { provider: "openclaw", model, api: "openai-responses", usage: { input: 0, output: 0 } });
  const drafts = read(
    header(),
    message(1, user("Hello")),
    message(2, answer([said("Good day.")])),
    message(3, echo("delivery-mirror", "Good day.")),
    message(4, echo("gateway-injected", "Restarted.")),
  );
  expect(calls(drafts)).toHaveLength(1);
  expect(bodies(drafts).filter(({ type }) => type === "assistant")).toHaveLength(1);
  expect(bodies(drafts).slice(-2)).toEqual([
    { type: "meta", subtype: "delivery-mirror", text: "" },
    { type: "meta", subtype: "gateway-injected", text: "Restarted." },
  ]);
});

test("the index beside it gives the title, and the session that a sub-agent belongs to", () => {
  const path = "/s/agents/main/sessions/a.jsonl";
  const index = {
    "agent:main:main": { sessionId: "parent-1", updatedAt: 1 },
    "agent:main:subagent:9": { sessionId: SESSION, label: "Harbour watch", spawnedBy: "agent:main:main" },
  };
  const sidecars = { "/s/agents/main/sessions/sessions.json": JSON.stringify(index) };
  const { drafts } = runPi([header()], { format: openclaw, path, sidecars });
  expect(patches(drafts)).toMatchObject({ title: "Harbour watch", parent: "parent-1", relation: "subagent" });
  const broken = { "/s/agents/main/sessions/sessions.json": "{" };
  expect(patches(runPi([header()], { format: openclaw, path, sidecars: broken }).drafts)["title"]).toBeUndefined();
});
