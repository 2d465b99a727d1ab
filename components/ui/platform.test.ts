import { expect, test } from "vitest";
import { isMacAgent, keyLabels } from "./platform.ts";

test("keys are named as they stand on the reader's keyboard", () => {
  expect(keyLabels("mod+k", true)).toEqual(["⌘K"]);
  expect(keyLabels("mod+k", false)).toEqual(["Ctrl+K"]);
  expect(keyLabels("mod+enter", false)).toEqual(["Ctrl+Enter"]);
  expect(keyLabels("mod+Enter", true)).toEqual(["⌘↩"]);
  expect(keyLabels("g s", true)).toEqual(["g", "s"]);
  expect(keyLabels("J", false)).toEqual(["J"]);
});

test.each([
  ["Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36", true],
  ["Mozilla/5.0 (iPad; CPU OS 17_0 like Mac OS X)", true],
  ["Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36", false],
  ["Mozilla/5.0 (Windows NT 10.0; Win64; x64)", false],
])("%s", (agent, mac) => expect(isMacAgent(agent)).toBe(mac));
