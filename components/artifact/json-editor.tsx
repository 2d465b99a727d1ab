"use client";
// The editor for reading. The keyboard passes through: Tab goes on to what follows, Escape back to where it came from.
import { useEffect, useRef } from "react";
import { followTheme, type Monaco } from "./monaco.ts";

type JsonEditorProps = { monaco: Monaco; text: string; label: string; onLeave: () => void };

export function JsonEditor({ monaco, text, label, onLeave }: JsonEditorProps) {
  const box = useRef<HTMLDivElement>(null);
  const leave = useRef(onLeave);
  useEffect(() => {
    leave.current = onLeave;
  }, [onLeave]);
  useEffect(() => {
    if (!box.current) return;
    const stop = followTheme(monaco);
    const editor = monaco.editor.create(box.current, {
      ...OPTIONS,
      value: text,
      ariaLabel: label,
      fontFamily: getComputedStyle(box.current).fontFamily,
    });
    editor.addCommand(monaco.KeyCode.Escape, () => leave.current(), "editorTextFocus && !findWidgetVisible");
    return () => {
      stop();
      editor.getModel()?.dispose();
      editor.dispose();
    };
  }, [monaco, text, label]);
  return (
    <div className="relative min-h-0 flex-1 has-[:focus-visible]:outline-2 has-[:focus-visible]:-outline-offset-2 has-[:focus-visible]:outline-accent">
      {/* The editor measures the box that it fills; a box that grew with it would never shrink again. */}
      <div ref={box} className="mono absolute inset-0.5" />
    </div>
  );
}

const OPTIONS = {
  language: "json",
  theme: "plimsoll",
  readOnly: true,
  domReadOnly: true,
  automaticLayout: true,
  fontSize: 12,
  lineHeight: 18,
  fontLigatures: false,
  // Outputs hold strings of thousands of characters in one line.
  wordWrap: "on",
  wrappingIndent: "indent",
  minimap: { enabled: false },
  folding: true,
  showFoldingControls: "always",
  // 5 MB hold about 60,000 objects of three keys.
  foldingMaximumRegions: 100_000,
  lineNumbersMinChars: 4,
  padding: { top: 6, bottom: 6 },
  scrollBeyondLastLine: false,
  scrollbar: { useShadows: false, verticalScrollbarSize: 10, horizontalScrollbarSize: 10 },
  renderLineHighlight: "all",
  renderLineHighlightOnlyWhenFocus: true,
  guides: { indentation: false, bracketPairs: false },
  overviewRulerLanes: 0,
  overviewRulerBorder: false,
  hideCursorInOverviewRuler: true,
  cursorBlinking: "solid",
  stickyScroll: { enabled: false },
  occurrencesHighlight: "off",
  colorDecorators: false,
  contextmenu: false,
  // What strangers wrote opens nothing.
  links: false,
  hover: { enabled: "off" },
  unicodeHighlight: { ambiguousCharacters: false, invisibleCharacters: false, nonBasicASCII: false },
  renderControlCharacters: true,
  unusualLineTerminators: "off",
  tabFocusMode: true,
  // The shortcuts of the page know a text field by its tag.
  editContext: false,
  fixedOverflowWidgets: true,
} as const;
