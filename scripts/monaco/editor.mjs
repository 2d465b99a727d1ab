// What a page loads as /monaco/editor.js: the editor with all its parts, and JSON.
import "monaco-editor/features/register.all";
import "monaco-editor/languages/features/json/register";

export * from "monaco-editor/editor";
