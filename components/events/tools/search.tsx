import { TextSearch } from "lucide-react";
import { Output } from "../capped-text.tsx";
import { field } from "../view.ts";
import type { ToolBodyProps, ToolView } from "./tool-view.ts";

export const search: ToolView = {
  icon: TextSearch,
  argument: (input) => {
    const pattern = field(input, "pattern", "query", "regex", "glob");
    const where = field(input, "path", "dir_path", "directory", "include");
    return where === "" ? pattern : pattern === "" ? where : `${pattern} in ${where}`;
  },
  Body: Search,
};

function Search({ result, open, toggle }: ToolBodyProps) {
  return result ? <Output event={result} lines={4} open={open} toggle={toggle} /> : null;
}
