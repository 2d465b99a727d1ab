"use client";
// The editor of a program. Tab goes on to what follows and Escape leaves, so the keyboard is never caught in it.
import { useEffect, useRef, useState, useCallback } from "react";
import { followTheme, type Monaco } from "../shared/monaco.ts";
import { markFailure, registerJq, setKnown, type Known } from "./language/register.ts";
import type { Desk } from "./use-desk.ts";
import { hashKey, useQueryClient } from "@tanstack/react-query";
import { LIMITS } from "#lib/kernel/limits.ts";
import { useSeesAll } from "../ui/access-context.ts";
import { probeQuery } from "./playground-queries.ts";
import { optionsOf } from "./work.ts";

type JqEditorProps = {
  monaco: Monaco;
  desk: Desk;
  /** Of the first input: what completion takes where jq cannot be asked. */
  shape: Known["shape"];
  /** Fewer lines when it is empty. */
  isCompact: boolean;
  onLeave: () => void;
};

const LINE_PX = 22;
/** The editor grows with its program between these. */
const LEAST_LINES = { page: 6, panel: 2 };
const MOST_LINES = 14;
const PADDING_PX = 12;

export function JqEditor({ monaco, desk, shape, isCompact, onLeave }: JqEditorProps) {
  const { store, runner, runNow: onRun } = desk;
  const ask = useProbe(desk);
  const box = useRef<HTMLDivElement>(null);
  const does = useRef({ onRun, onLeave });
  const least = isCompact ? LEAST_LINES.panel : LEAST_LINES.page;
  const [height, setHeight] = useState(least * LINE_PX + 2 * PADDING_PX);
  const [model, setModel] = useState<Model | null>(null);
  useEffect(() => {
    does.current = { onRun, onLeave };
  }, [onRun, onLeave]);

  useEffect(() => {
    if (!box.current) return;
    registerJq(monaco);
    const stopTheme = followTheme(monaco);
    const made = monaco.editor.createModel(store.get().program, "jq");
    const editor = monaco.editor.create(box.current, {
      ...OPTIONS,
      model: made,
      ariaLabel: "jq program. Control and Enter runs it, Escape leaves it.",
      fontFamily: getComputedStyle(box.current).fontFamily,
    });
    const { KeyMod, KeyCode } = monaco;
    // oxlint-disable-next-line no-bitwise -- Monaco says keys so
    editor.addCommand(KeyMod.CtrlCmd | KeyCode.Enter, () => does.current.onRun());
    editor.addCommand(
      KeyCode.Escape,
      () => does.current.onLeave(),
      "editorTextFocus && !suggestWidgetVisible && !findWidgetVisible && !markersNavigationVisible && !inSnippetMode",
    );
    const fit = () => {
      const lines = Math.min(MOST_LINES, Math.max(least, editor.getModel()?.getLineCount() ?? 1));
      setHeight(Math.max(lines * LINE_PX, Math.min(editor.getContentHeight(), MOST_LINES * LINE_PX)) + 2 * PADDING_PX);
    };
    fit();
    editor.onDidContentSizeChange(fit);
    made.onDidChangeContent(() => store.set({ program: made.getValue() }));
    // What others put there can be undone like what was typed.
    const replace = () => {
      const { program } = store.get();
      if (made.getValue() === program) return;
      editor.pushUndoStop();
      editor.executeEdits("plimsoll", [{ range: made.getFullModelRange(), text: program }]);
      editor.pushUndoStop();
    };
    const stopStore = store.subscribe(replace);
    const stopInsert = store.insertBy((text) => {
      editor.executeEdits("plimsoll", [{ range: editor.getSelection() ?? made.getFullModelRange(), text }]);
      editor.focus();
    });
    const mark = () => {
      const { phase, end } = runner.get();
      if (phase === "ended") markFailure(monaco, made, end?.failure ?? null);
    };
    mark();
    const stopRunner = runner.subscribe(mark);
    setModel(made);
    return () => {
      stopInsert();
      stopStore();
      stopRunner();
      stopTheme();
      made.dispose();
      editor.dispose();
      setModel(null);
    };
  }, [monaco, store, runner, least]);
  useEffect(() => {
    if (model === null) return;
    const tell = () => {
      const { flags, variables } = store.get();
      setKnown(model, {
        shape,
        ask,
        args: variables.map(({ name }) => name),
        slurp: flags.includes("s"),
        nullInput: flags.includes("n"),
      });
    };
    tell();
    return store.subscribe(tell);
  }, [model, shape, ask, store]);
  return (
    <div
      id="jq-editor"
      style={{ height }}
      className="relative max-h-[45%] min-h-16 flex-none has-[:focus-visible]:outline-2 has-[:focus-visible]:-outline-offset-2 has-[:focus-visible]:outline-accent"
    >
      <div ref={box} className="mono absolute inset-0.5" />
    </div>
  );
}

type Model = ReturnType<Monaco["editor"]["createModel"]>;

const OPTIONS = {
  theme: "plimsoll",
  automaticLayout: true,
  fontSize: 13,
  lineHeight: LINE_PX,
  fontLigatures: false,
  tabSize: 2,
  placeholder: "A jq program: .items[] | select(.failed)",
  wordWrap: "on",
  wrappingIndent: "indent",
  minimap: { enabled: false },
  folding: false,
  glyphMargin: false,
  lineDecorationsWidth: 12,
  lineNumbersMinChars: 4,
  padding: { top: PADDING_PX - 2, bottom: PADDING_PX - 2 },
  scrollBeyondLastLine: false,
  scrollbar: {
    useShadows: false,
    verticalScrollbarSize: 10,
    horizontalScrollbarSize: 10,
    alwaysConsumeMouseWheel: false,
  },
  renderLineHighlight: "all",
  renderLineHighlightOnlyWhenFocus: true,
  guides: { indentation: false, bracketPairs: false, highlightActiveIndentation: false },
  bracketPairColorization: { enabled: false },
  overviewRulerLanes: 0,
  overviewRulerBorder: false,
  hideCursorInOverviewRuler: true,
  stickyScroll: { enabled: false },
  occurrencesHighlight: "off",
  selectionHighlight: false,
  colorDecorators: false,
  contextmenu: false,
  links: false,
  // Suggestions come as one types a path, a function or a variable; what is written is never taken for them by Enter.
  quickSuggestions: { other: true, comments: false, strings: false },
  suggestOnTriggerCharacters: true,
  acceptSuggestionOnEnter: "on",
  acceptSuggestionOnCommitCharacter: false,
  wordBasedSuggestions: "off",
  suggest: { showStatusBar: false, preview: false, showWords: false },
  hover: { enabled: "on", above: false },
  unicodeHighlight: { ambiguousCharacters: false, invisibleCharacters: true, nonBasicASCII: false },
  unusualLineTerminators: "off",
  tabFocusMode: true,
  // The shortcuts of the page know a text field by its tag.
  editContext: false,
  fixedOverflowWidgets: true,
} as const;

// Completion asks jq a little after the last key, and each question ends the one before.
const TYPED_MS = 40;

function useProbe({ store, inputs, canAsk }: Pick<Desk, "store" | "inputs" | "canAsk">): Known["ask"] {
  const queries = useQueryClient();
  // A node refuses it to who sees some of its projects: completion uses the shape then.
  const seesAll = useSeesAll();
  return useCallback(
    async (program, isStopped) => {
      const options = optionsOf(store.get());
      const pasted = inputs.reduce((sum, input) => sum + ("text" in input ? input.text.length : 0), 0);
      const isAskable =
        seesAll && canAsk && (inputs.length > 0 || options.nullInput) && pasted <= LIMITS.jqProbeInputBytes;
      if (!isAskable) return null;
      const query = probeQuery({ program, options, inputs: [...inputs] });
      const known = queries.getQueryData(query.queryKey);
      if (known !== undefined) return known;
      await new Promise((resolve) => setTimeout(resolve, TYPED_MS));
      if (isStopped()) return null;
      const hash = hashKey(query.queryKey);
      void queries.cancelQueries({
        queryKey: ["playground", "probe"],
        predicate: ({ queryHash }) => queryHash !== hash,
      });
      // A question that was ended, or that cannot be answered: the shape is asked in its place.
      return queries.fetchQuery(query).catch(() => null);
    },
    [queries, store, inputs, canAsk, seesAll],
  );
}
