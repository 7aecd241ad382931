import { PROGRAM } from "../../lib/program.ts";

/** The first argument with which `main.ts` writes one file to stdout. */
const FILE_READER = "file-reader";

/**
 * Reads a file in a process of its own. Closing a handle of an open SQLite file drops the locks that SQLite has on it,
 * for the whole process.
 */
export async function* readInOwnProcess(path: string): AsyncGenerator<Uint8Array> {
  await using reader = Bun.spawn([...PROGRAM, FILE_READER, path], { stdin: "ignore", stderr: "ignore", env: {} });
  yield* reader.stdout;
  if ((await reader.exited) !== 0) throw new Error(`The file ${path} could not be read`);
}
