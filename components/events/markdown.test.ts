// What a browser is given of Markdown that strangers wrote.
import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { Markdown } from "./markdown.tsx";

const html = (text: string): string => renderToStaticMarkup(createElement(Markdown, { text }));

test("each block runs as its words do, and code from left to right", () => {
  const shown = html("שלום `f(x)`\n\n- أولا\n\n> اقتباس\n\n```\nlet a;\n```\n");
  expect(shown).toContain('<p dir="auto">שלום <code dir="ltr">f(x)</code></p>');
  expect(shown).toContain('<ul dir="auto">');
  expect(shown).toMatch(/<blockquote dir="auto">\s*<p>/u);
  expect(shown).toContain('<pre dir="ltr">');
});
