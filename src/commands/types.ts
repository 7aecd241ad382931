import { existsSync, statSync } from "node:fs";
import { CommandFailure, EXIT_STATUS, usageError, type Command, type CommandInput } from "./command.ts";

const WATCH_INTERVAL_MS = 2000;

export const types: Command = {
  name: "types",
  about:
    "Writes the tables of a document as types in TypeScript, for the client library. SOURCE is the URL of the document, its id or name, or a document file.",
  options: [
    { name: "out", takes: "FILE", about: "File to write, such as schema.d.ts. Default: stdout.", values: "files" },
    { name: "watch", about: "Keep running, and write the file again when the tables have changed. Needs --out." },
  ],
  operands: ["SOURCE"],
  isClient: true,
  async run(input) {
    const { out } = input.options;
    const read = readerOf(input);
    if (input.switches.has("watch")) {
      if (out === undefined) throw usageError("--watch needs --out");
      return watch(input, { out, read });
    }
    const declared = (await read()) ?? "";
    if (out === undefined) input.context.out(declared.trimEnd());
    else await Bun.write(out, declared);
    return 0;
  },
};

/** Returns the declarations; null if they have not changed since the last call. */
type Read = () => Promise<string | null>;

function readerOf(input: CommandInput): Read {
  const [source = ""] = input.operands;
  // A file of the name comes first: a document can also be named by its id.
  if (!/^https?:\/\//i.test(source) && existsSync(source)) return readFile(source);
  if (/[/\\]|\.grist$/.test(source) && !/^https?:\/\//i.test(source)) throw usageError(`file not found: ${source}`);
  return readFromServer(input, source);
}

function readFromServer(input: CommandInput, source: string): Read {
  let tag: string | null = null;
  return async () => {
    const [{ resolveDocument }, { callServer }] = await Promise.all([
      import("./client/document.ts"),
      import("./client/call-server.ts"),
    ]);
    const { server, path } = await resolveDocument(input, source);
    const response = await callServer(server, `${path}/types.d.ts`, {
      headers: tag === null ? {} : { "If-None-Match": tag },
      expects: [304],
    });
    if (response.status === 304) return null;
    tag = response.headers.get("ETag");
    return response.text();
  };
}

function readFile(path: string): Read {
  let version: string | null = null;
  return async () => {
    // Not after reading: a change in between would go unnoticed.
    const current = versionOf(path);
    if (current === version) return null;
    const { declareFileTypes } = await import("../hosts/files/declare-types.ts");
    const declared = declareFileTypes(path);
    version = current;
    return declared;
  };
}

/** Changes are in the write-ahead log first. */
const versionOf = (path: string): string =>
  [path, `${path}-wal`]
    .map((file) => statSync(file, { throwIfNoEntry: false }))
    .map((stats) => (stats ? `${stats.mtimeMs} ${stats.size} ${stats.ino}` : ""))
    .join("\n");

/** Writes the declarations whenever they change, until the process is asked to stop. */
async function watch({ context }: CommandInput, { out, read }: { out: string; read: Read }): Promise<number> {
  const stopped = Promise.withResolvers<"stopped">();
  context.onStop(() => stopped.resolve("stopped"));
  let written = existsSync(out) ? await Bun.file(out).text() : null;
  let lastProblem = "";
  for (;;) {
    try {
      const declared = await read();
      lastProblem = "";
      if (declared !== null && declared !== written) {
        await Bun.write(out, declared);
        written = declared;
        context.err(`Wrote ${out}`);
      }
    } catch (error) {
      // The server may restart, and the file may be replaced.
      const problem = (error as Error).message;
      if (error instanceof CommandFailure && error.exitStatus === EXIT_STATUS.usage) throw error;
      if (problem !== lastProblem) context.err(problem);
      lastProblem = problem;
    }
    if ((await Promise.race([stopped.promise, Bun.sleep(WATCH_INTERVAL_MS)])) === "stopped") return 0;
  }
}
