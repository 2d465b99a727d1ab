// What a page loads as /monaco/editor.js: an editor for reading, and JSON. Only the parts that a reader uses: all of
// them bring a command palette, renaming and a menu for edits. A page that lets people write adds its own here.
import "monaco-editor/features/bracketMatching/register";
import "monaco-editor/features/clipboard/register";
import "monaco-editor/features/codicon/register";
import "monaco-editor/features/find/register";
import "monaco-editor/features/folding/register";
import "monaco-editor/features/lineSelection/register";
import "monaco-editor/features/tokenization/register";
import "monaco-editor/features/wordOperations/register";
import { jsonDefaults } from "monaco-editor/languages/features/json/register";

// Folds come from the worker, which finds them in a text of one line too. Nothing is judged: it is not ours to mend.
jsonDefaults.setModeConfiguration({ tokens: true, foldingRanges: true });
jsonDefaults.setDiagnosticsOptions({ validate: false, enableSchemaRequest: false });

self.MonacoEnvironment = {
  getWorker: (_, label) =>
    new Worker(label === "json" ? "/monaco/json-worker.js" : "/monaco/editor-worker.js", { type: "module" }),
};

export { editor, KeyCode } from "monaco-editor/editor";
