"use client";
// The editor comes from our own public folder (scripts/vendor.mjs), on the pages that show one and when they do.
// Its colours are the tokens of the page, read again when the theme changes.
import { queryOptions } from "@tanstack/react-query";
import { themeColors, watchTheme } from "../ui/theme-colors.ts";
import type {
  editor as Editor,
  KeyCode,
  KeyMod,
  languages as Languages,
  MarkerSeverity,
  Range,
  Uri,
} from "monaco-editor/editor";

/** What scripts/monaco/editor.mjs gives. */
export type Monaco = {
  readonly editor: typeof Editor;
  readonly languages: typeof Languages;
  readonly KeyCode: typeof KeyCode;
  readonly KeyMod: typeof KeyMod;
  readonly MarkerSeverity: typeof MarkerSeverity;
  readonly Range: typeof Range;
  readonly Uri: typeof Uri;
};

// In variables, so that neither the compiler nor the bundler looks for them.
const EDITOR = "/monaco/editor.js";
const STYLES = "/monaco/editor.css";

export const monacoQuery = queryOptions({
  queryKey: ["monaco"],
  queryFn: async (): Promise<Monaco> => {
    const [monaco] = await Promise.all([
      import(/* turbopackIgnore: true */ EDITOR) as Promise<Monaco>,
      styles(),
      // Lines are measured when the editor is made: in the wrong font they would break in the wrong positions.
      document.fonts.load("12px 'JetBrains Mono Variable'"),
    ]);
    return monaco;
  },
  staleTime: Number.POSITIVE_INFINITY,
  gcTime: Number.POSITIVE_INFINITY,
  structuralSharing: false,
  retry: false,
});

function styles(): Promise<void> {
  if (document.querySelector(`link[href="${STYLES}"]`)) return Promise.resolve();
  return new Promise((done, failed) => {
    const link = document.createElement("link");
    link.rel = "stylesheet";
    link.href = STYLES;
    link.addEventListener("load", () => done());
    link.addEventListener("error", () => {
      link.remove();
      failed(new Error(`${STYLES} did not come.`));
    });
    document.head.append(link);
  });
}

/** Keeps the editor's theme that of the page, until the returned function is called. */
export function followTheme(monaco: Monaco): () => void {
  const apply = () => monaco.editor.defineTheme("plimsoll", themeOf(document.documentElement));
  apply();
  monaco.editor.setTheme("plimsoll");
  return watchTheme(apply);
}

function themeOf(element: Element): Editor.IStandaloneThemeData {
  const { color, isDark } = themeColors(element);
  const pen = document.createElement("canvas").getContext("2d");
  // The editor takes #rrggbb alone; a canvas gives every opaque colour back as that.
  const colour = (name: string): string => {
    if (pen) pen.fillStyle = color(name);
    return pen ? String(pen.fillStyle) : "#808080";
  };
  const rule = (token: string, name: string) => ({ token, foreground: colour(name).slice(1) });
  const bg = colour("--bg");
  // Each depth of brackets has a colour by default, and the editor's option for it reaches no text that it is given.
  const brackets = Object.fromEntries(
    [1, 2, 3, 4, 5, 6].map((depth) => [`editorBracketHighlight.foreground${depth}`, colour("--ink-2")]),
  );
  return {
    base: isDark ? "vs-dark" : "vs",
    inherit: false,
    rules: [
      rule("", "--ink-2"),
      rule("delimiter", "--ink-2"),
      // jq: a program is names of keys first; what works on them stands out.
      rule("comment.jq", "--ink-3"),
      rule("string.jq", "--syn-str"),
      rule("string.escape.jq", "--syn-key"),
      rule("number.jq", "--syn-num"),
      rule("keyword.jq", "--syn-key"),
      rule("function.jq", "--syn-fn"),
      rule("format.jq", "--syn-fn"),
      rule("variable.jq", "--syn-num"),
      rule("path.jq", "--ink"),
      rule("operator.jq", "--ink-3"),
      rule("bracket.jq", "--syn-key"),
      rule("invalid.jq", "--ink"),
    ],
    colors: {
      "editor.background": bg,
      "editor.foreground": colour("--ink-2"),
      "editorGutter.background": bg,
      "editorLineNumber.foreground": colour("--ink-3"),
      "editorLineNumber.activeForeground": colour("--ink"),
      // Of an empty last line; by itself it is too faint to read.
      "editorLineNumber.dimmedForeground": colour("--ink-3"),
      "editor.lineHighlightBackground": colour("--bg-sunk"),
      "editor.lineHighlightBorder": colour("--bg-sunk"),
      "editor.selectionBackground": colour("--accent-soft"),
      "editor.inactiveSelectionBackground": colour("--bg-select"),
      "editor.selectionHighlightBackground": colour("--bg-select"),
      "editor.findMatchBackground": colour("--accent-soft"),
      "editor.findMatchBorder": colour("--accent"),
      "editor.findMatchHighlightBackground": colour("--accent-soft"),
      "editorCursor.foreground": colour("--accent"),
      ...brackets,
      "editorBracketMatch.background": colour("--bg-select"),
      "editorBracketMatch.border": colour("--control"),
      "editorWidget.background": colour("--bg-raised"),
      "editorWidget.foreground": colour("--ink"),
      "editorWidget.border": colour("--line-strong"),
      "editorHoverWidget.background": colour("--bg-raised"),
      "editorHoverWidget.foreground": colour("--ink"),
      "editorHoverWidget.border": colour("--line-strong"),
      "editorHoverWidget.statusBarBackground": colour("--bg-sunk"),
      "editorSuggestWidget.background": colour("--bg-raised"),
      "editorSuggestWidget.foreground": colour("--ink"),
      "editorSuggestWidget.border": colour("--line-strong"),
      "editorSuggestWidget.highlightForeground": colour("--accent"),
      "editorSuggestWidget.focusHighlightForeground": colour("--accent"),
      "editorSuggestWidget.selectedBackground": colour("--bg-select"),
      "editorSuggestWidget.selectedForeground": colour("--ink"),
      "editorSuggestWidget.selectedIconForeground": colour("--ink-2"),
      "editorSuggestWidgetStatus.foreground": colour("--ink-3"),
      // An error is told by its underline and its words; red is the load line's.
      "editorError.foreground": colour("--ink"),
      "editorWarning.foreground": colour("--control"),
      "editorMarkerNavigation.background": colour("--bg-raised"),
      "editorMarkerNavigationError.background": colour("--ink"),
      "editor.placeholder.foreground": colour("--ink-3"),
      "list.hoverBackground": colour("--bg-sunk"),
      "list.focusHighlightForeground": colour("--accent"),
      "textLink.foreground": colour("--accent"),
      "textLink.activeForeground": colour("--accent"),
      "textCodeBlock.background": colour("--bg-sunk"),
      "textPreformat.foreground": colour("--ink"),
      "textPreformat.background": colour("--bg-sunk"),
      "symbolIcon.functionForeground": colour("--syn-fn"),
      "symbolIcon.fieldForeground": colour("--ink-2"),
      "symbolIcon.keywordForeground": colour("--syn-key"),
      "symbolIcon.variableForeground": colour("--syn-num"),
      "input.background": colour("--bg"),
      "input.foreground": colour("--ink"),
      "input.border": colour("--control"),
      "input.placeholderForeground": colour("--ink-3"),
      "inputOption.activeBackground": colour("--bg-select"),
      "inputOption.activeForeground": colour("--ink"),
      "inputOption.activeBorder": colour("--accent"),
      "icon.foreground": colour("--ink-2"),
      focusBorder: colour("--accent"),
      "toolbar.hoverBackground": colour("--bg-select"),
      "scrollbarSlider.background": colour("--line-strong"),
      "scrollbarSlider.hoverBackground": colour("--control"),
      "scrollbarSlider.activeBackground": colour("--control"),
      "widget.shadow": colour("--line"),
    },
  };
}
