import { TextSearch } from "lucide-react";
import { Output } from "../capped-text.tsx";
import type { ToolBodyProps, ToolView } from "./tool-view.ts";

export const search: ToolView = {
  icon: TextSearch,
  Body: Search,
};

function Search({ result, open, toggle }: ToolBodyProps) {
  return result ? <Output event={result} lines={4} open={open} toggle={toggle} /> : null;
}
