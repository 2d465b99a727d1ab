import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { baseUrlProblem, normalBaseUrl, requestUrl } from "./model-endpoint.ts";

describe("an address of a model", () => {
  test.each([
    "https://api.openai.com/v1",
    "https://api.openai.com/v1/",
    "HTTPS://API.Example.com:8443",
    "http://127.0.0.1:11434/v1",
    "http://127.8.9.10:1234",
    "http://localhost:8080",
    "http://[::1]:8080/v1",
    "https://192.168.1.20/v1",
  ])("%s may be asked", (text) => {
    expect(baseUrlProblem(text)).toBeNull();
  });

  test.each([
    ["", /Use an address/],
    ["api.openai.com", /Use an address/],
    ["http:127.0.0.1", /Use an address/],
    ["https:\\\\api.example.com", /Use an address/],
    ["https://api.example.com\n.evil.example/", /Use an address/],
    [`https://a.example/${"a".repeat(3000)}`, /Use an address/],
    ["file:///etc/passwd", /Use an address/],
    ["file://host/etc/passwd", /Only https/],
    ["gopher://api.example.com/", /Only https/],
    ["ws://127.0.0.1/", /Only https/],
    ["https://user@api.example.com/", /Names and passwords/],
    ["http://user:secret@127.0.0.1/", /Names and passwords/],
    ["https://api.example.com/v1?key=1", /\? or #/],
    ["https://api.example.com/v1#", /\? or #/],
    ["http://api.example.com/v1", /Plain http works only/],
    ["http://10.0.0.7:11434", /Plain http works only/],
    ["http://127.0.0.1.evil.example", /Plain http works only/],
    ["http://localhost.evil.example", /Plain http works only/],
    ["http://169.254.169.254/", /not an allowed address/],
    ["https://169.254.169.254/latest", /not an allowed address/],
    ["http://[fe80::1]/", /not an allowed address/],
    ["http://[::ffff:7f00:1]/", /not an allowed address/],
    ["http://[::ffff:169.254.169.254]/", /Write the host as \[::ffff:a9fe:a9fe\]/],
    ["https://[::]/", /not an allowed address/],
    ["http://0.0.0.0:11434", /not an allowed address/],
    ["http://0x7f000001", /Write the host as 127\.0\.0\.1/],
    ["http://2130706433", /Write the host as 127\.0\.0\.1/],
    ["http://127.1", /Write the host as 127\.0\.0\.1/],
    ["https://0251.0376.0251.0376", /Write the host as 169\.254\.169\.254/],
    ["http://[0:0:0:0:0:0:0:1]", /Write the host as \[::1\]/],
    ["http://localhost.", /dot after the host/],
    ["https://api.example.com.", /dot after the host/],
  ])("%s is refused", (text, reason) => {
    expect(baseUrlProblem(text)).toMatch(reason);
    expect(() => normalBaseUrl(text)).toThrow(expect.objectContaining({ code: "invalid" }));
  });

  test("is kept in one spelling, and stays as it is when it is kept again", () => {
    expect(normalBaseUrl("HTTPS://API.Example.com:443/v1//")).toBe("https://api.example.com/v1");
    fc.assert(
      fc.property(fc.webUrl({ validSchemes: ["https"] }), (text) => {
        fc.pre(baseUrlProblem(text) === null);
        const once = normalBaseUrl(text);
        expect(normalBaseUrl(once)).toBe(once);
      }),
    );
  });

  test("without encryption never leaves this machine, whatever is typed", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.webUrl({ validSchemes: ["http"] }),
          fc.ipV4().map((ip) => `http://${ip}/`),
        ),
        (text) => {
          if (baseUrlProblem(text) === null)
            expect(new URL(text).hostname).toMatch(/^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/);
        },
      ),
    );
  });

  test("is asked at the path of its kind", () => {
    expect([
      requestUrl("openai", "https://api.openai.com/v1"),
      requestUrl("openai", "http://127.0.0.1:11434"),
      requestUrl("openai", "https://gateway.example/team/openai"),
      requestUrl("openai", "https://gateway.example/v1/chat/completions"),
      requestUrl("anthropic", "https://api.anthropic.com"),
      requestUrl("anthropic", "https://api.anthropic.com/v1"),
      requestUrl("anthropic", "https://gateway.example/claude"),
      requestUrl("anthropic", "https://gateway.example/v1/messages"),
    ]).toEqual([
      "https://api.openai.com/v1/chat/completions",
      "http://127.0.0.1:11434/v1/chat/completions",
      "https://gateway.example/team/openai/chat/completions",
      "https://gateway.example/v1/chat/completions",
      "https://api.anthropic.com/v1/messages",
      "https://api.anthropic.com/v1/messages",
      "https://gateway.example/claude/v1/messages",
      "https://gateway.example/v1/messages",
    ]);
  });
});
