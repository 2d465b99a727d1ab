// What tools of the provider gave back. The blocks are made by hand (synthetic).
import { expect, test } from "vitest";
import { answer, bodies, events, parse } from "./testing-claude.ts";

const textDocument = (data: string) => ({ type: "document", source: { type: "text", media_type: "text/plain", data } });

test.each([
  [
    "web_fetch",
    { type: "web_fetch_result", url: "u", content: textDocument("High water at six.") },
    "High water at six.",
  ],
  ["web_fetch", { type: "web_fetch_tool_result_error", error_code: "url_not_accessible" }, "url_not_accessible", true],
  ["web_search", { type: "web_search_tool_result_error", error_code: "max_uses_exceeded" }, "max_uses_exceeded", true],
  ["bash_code_execution", { type: "r", stdout: "a\n", stderr: "b", return_code: 1, content: [] }, "a\n\nb", true],
  ["code_execution", { type: "r", stdout: "3", stderr: "", return_code: 0, content: [] }, "3"],
  ["text_editor_code_execution", { type: "r", file_type: "text", content: "line 1" }, "line 1"],
  ["tool_search", { type: "r", tool_references: [] }, '{"type":"r","tool_references":[]}'],
  ["mcp", [{ type: "text", text: "Moored." }], "Moored."],
  ["a_later_one", "as text", "as text"],
])("what %s gave back at the provider is a result: %j", (tool, content, text, isError = false) => {
  const [body] = bodies(parse(answer("a", 1, "1", { type: `${tool}_tool_result`, tool_use_id: "s1", content })));
  expect(body).toEqual({ type: "tool_result", toolCallId: "s1", text, isError, saw: "full" });
});

test("a page that the provider fetched as bytes is kept, and a call of its MCP servers has the server's name", () => {
  const source = { type: "base64", media_type: "application/pdf", data: "JVBERg==" };
  const fetched = { type: "web_fetch_result", url: "u", content: { type: "document", source } };
  const [call, read] = events(
    parse(
      answer("a", 1, "1", { type: "mcp_tool_use", id: "s1", name: "dredge", server_name: "harbour", input: {} }),
      answer("b", 2, "1", { type: "web_fetch_tool_result", tool_use_id: "s2", content: fetched }),
    ),
  );
  expect(call).toMatchObject({ body: { type: "tool_call", hosted: true, toolName: "mcp__harbour__dredge" } });
  expect(read).toMatchObject({
    body: { type: "tool_result", images: [{ mediaType: "application/pdf" }] },
    attachments: [{ mediaType: "application/pdf", base64: "JVBERg==" }],
  });
});
