import fc from "fast-check";
import { expect, test } from "vitest";
import { hasUnspaced, spacedQuery, spacedText } from "./unspaced.ts";

/** Words alone count. */
const squeezed = (text: string): string => text.replaceAll(/ +/g, " ").trim();

test("words of scripts without spaces are indexed by pairs, and those of others as they stand", () => {
  for (const [text, indexed] of [
    ["The moorings broke", "The moorings broke"],
    ["Größe, ελληνικά, кириллица", "Größe, ελληνικά, кириллица"],
    ["日本語テスト", "日本 本語 語テ テス スト ト"],
    ["Reactの状態を更新。", "React の状 状態 態を を更 更新 新 。"],
    ["サーバー error2件", "サー ーバ バー ー error2 件"],
    ["세션을 읽는다", "세션 션을 을 읽는 는다 다"],
    ["字", "字"],
  ] as const)
    expect(squeezed(spacedText(text))).toBe(indexed);
});

test("a query is a phrase of such pairs", () => {
  for (const [text, asked, goesOn] of [
    ["moorings", "moorings", false],
    ["日本語", "日本 本語", false],
    ["日本 語", "日本 本 語", true],
    ["語", "語", true],
    ["状態React", "状態 態 React", false],
    ["Reactの", "React の", true],
    ["日本語。", "日本 本語 。", false],
  ] as const) {
    const query = spacedQuery(text);
    expect([squeezed(query.text), query.goesOn]).toEqual([asked, goesOn]);
  }
});

test("every part of a text without spaces is a phrase of what is indexed", () =>
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom("日", "本", "ス", "ー", "の", "a", "B", "7", "한", "𠮷"), {
        minLength: 1,
        maxLength: 12,
      }),
      fc.nat(11),
      fc.integer({ min: 1, max: 12 }),
      (chars, from, length) => {
        const part = chars.slice(from, from + length).join("");
        // A Latin word is found by its beginning or whole, as anywhere else.
        fc.pre(part !== "" && !/^[aB7]|[aB7]$/.test(part));
        expect(hasUnspaced(part)).toBe(true);
        const indexed = ` ${squeezed(spacedText(chars.join("")))} `;
        const { goesOn, ...query } = spacedQuery(part);
        const text = squeezed(query.text);
        expect(indexed).toContain(goesOn ? ` ${text}` : ` ${text} `);
      },
    ),
  ));
