// What a page loads as /monaco/editor.js: an editor with what writing a short program needs: completion,
// hovers, marked errors. Only the parts that are used: all of them bring a command palette, renaming and menus.
import "monaco-editor/features/bracketMatching/register";
import "monaco-editor/features/clipboard/register";
import "monaco-editor/features/codicon/register";
import "monaco-editor/features/comment/register";
import "monaco-editor/features/find/register";
import "monaco-editor/features/gotoError/register";
import "monaco-editor/features/hover/register";
import "monaco-editor/features/lineSelection/register";
import "monaco-editor/features/linesOperations/register";
import "monaco-editor/features/placeholderText/register";
import "monaco-editor/features/snippet/register";
import "monaco-editor/features/suggest/register";
import "monaco-editor/features/tokenization/register";
import "monaco-editor/features/wordOperations/register";
// The entry of the feature names completion inside the line; the list of suggestions is this file.
import "monaco-editor/editor/contrib/suggest/browser/suggestController.js";

self.MonacoEnvironment = {
  getWorker: () => new Worker("/monaco/editor-worker.js", { type: "module" }),
};

export { editor, KeyCode, KeyMod, languages, MarkerSeverity, Range, Uri } from "monaco-editor/editor";
