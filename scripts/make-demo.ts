// Writes the demo's sessions into the file that is named, for the package: their agent reads the sources, which are not in it.
import { writeFileSync } from "node:fs";
import { makeDemo } from "#bin/demo/make.ts";

writeFileSync(process.argv[2]!, JSON.stringify(await makeDemo()));
