import { expect, test } from "vitest";
import { hunksOf, outputOf, patchDetail } from "./tool-output.ts";

test.each([
  ["an exit code", "Process exited with code 3\nOutput:\n", true],
  ["the words of an exit code in the output itself", "Output says:\nProcess exited with code 3", false],
  ["the words of an exit code after the header", "Wall time: 1 seconds\nOutput:\nProcess exited with code 3", false],
  ["the metadata of an older output", '{"output":"x","metadata":{"exit_code":1,"duration_seconds":0.2}}', true],
  ["success: false", { content: "no", success: false }, true],
  ["a patch that does not apply", "apply_patch verification failed: no such line", true],
  ["a tool that could not start", "exec_command failed for `/bin/bash -lc x`: no such file", true],
  ["an abort", "aborted by user after 1.2s", true],
  ["plain words", "Plan updated", false],
  ["nothing", null, false],
])("%s: an error is told from a success", (_, output, isError) => {
  expect(outputOf(output).isError).toBe(isError);
});

const withHeader = (count: number, text: string) =>
  `Chunk ID: 1\nWall time: 0.1597 seconds\nProcess exited with code 0\nOriginal token count: ${count}\nOutput:\n${text}`;

test("the header tells exit code, wall time, and how large the output was before the cut", () => {
  expect(outputOf(withHeader(9000, "Total output lines: 70\n\na…8990 tokens truncated…b"))).toMatchObject({
    cut: true,
    detail: { exitCode: 0, durationMs: 160, originalTokens: 9000, totalLines: 70 },
  });
});

test("an output is cut when it says so, or is far smaller than it says", () => {
  expect(outputOf(withHeader(3, "whole output")).cut).toBe(false);
  expect(outputOf(withHeader(1000, "x".repeat(3800))).cut).toBe(false);
  expect(outputOf(withHeader(1000, "x".repeat(2000))).cut).toBe(true);
  expect(outputOf(withHeader(1000, "…12 tokens truncated…" + "x".repeat(3800))).cut).toBe(true);
});

test("text and images of an array are parted; an image without its bytes stays as its address", () => {
  const image = (image_url: string) => ({ type: "input_image", image_url });
  const output = outputOf([
    { type: "input_text", text: "a" },
    image("data:image/png;base64,AAAA"),
    image("https://example.org/b.png"),
  ]);
  expect(output.text).toBe("a\n[image https://example.org/b.png]");
  expect(output.attachments).toEqual([{ mediaType: "image/png", base64: "AAAA" }]);
});

test("a diff is read hunk by hunk", () => {
  expect(hunksOf("@@ -8,3 +8,2 @@ title\n a\n-b\n c\n@@ -21 +20,2 @@\n d\n+e\n\\ No newline at end of file")).toEqual([
    { oldStart: 8, newStart: 8, lines: [" a", "-b", " c"] },
    { oldStart: 21, newStart: 20, lines: [" d", "+e"] },
  ]);
});

test("a patch of one file is shown with its result; of several, by its call", () => {
  expect(patchDetail({ "/a.txt": { type: "add", content: "x\ny\n" } })).toEqual({
    filePath: "/a.txt",
    patch: [{ oldStart: 0, newStart: 1, lines: ["+x", "+y"] }],
  });
  expect(patchDetail({ "/a": { unified_diff: "@@ -1 +1 @@" }, "/b": { unified_diff: "@@ -1 +1 @@" } })).toEqual({});
});
