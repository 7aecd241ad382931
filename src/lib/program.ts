import { join } from "node:path";
import { IS_EXECUTABLE } from "./build.ts";

/** The words that start this very program once more: the executable alone, or Bun with the sources. */
export const PROGRAM: readonly string[] = IS_EXECUTABLE
  ? [process.execPath]
  : [process.execPath, join(import.meta.dir, "../main.ts")];
