import { File } from "lucide-react";
import { Images } from "../images.tsx";
import { Output } from "../capped-text.tsx";
import { languageOf } from "../event-lines.ts";
import { field } from "../view.ts";
import type { ToolBodyProps, ToolView } from "./tool-view.ts";

export const read: ToolView = {
  icon: File,
  Body: Read,
};

function Read({ call, result, open, toggle }: ToolBodyProps) {
  if (!result) return null;
  const path = field(call.body.input, "file_path", "path", "notebook_path", "target_file");
  return (
    <>
      <Output event={result} lines={2} open={open} toggle={toggle} language={languageOf(path)} />
      <Images images={result.body.images} />
    </>
  );
}
