// The folders of the collection whose figures are compared. A folder of GOLDEN.json without a reader is named as not yet read.
import type { GoldenReader } from "./golden-figure.ts";
import { autobyteusFigures } from "./autobyteus-figures.ts";
import { atifFigures } from "./atif-figures.ts";
import { geminiFigures } from "./gemini-figures.ts";
import { sweFigures } from "./swe-figures.ts";
import { claudeFigures, codexFigures, copilotFigures, piFigures } from "./transcript-figures.ts";

export const GOLDEN_READERS: readonly GoldenReader[] = [
  autobyteusFigures,
  atifFigures,
  claudeFigures,
  codexFigures,
  copilotFigures,
  geminiFigures,
  piFigures,
  sweFigures,
];
