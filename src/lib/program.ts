import { join } from "node:path";
import { IS_EXECUTABLE } from "./build.ts";

/** The command that starts this program again: the executable alone, or Bun with the sources. */
export const PROGRAM: readonly string[] = IS_EXECUTABLE
  ? [process.execPath]
  : [process.execPath, join(import.meta.dir, "../main.ts")];
