import { existsSync, statSync } from "node:fs";
import { AppError, invalid } from "../errors.ts";
import type { Command, CommandInput } from "./command.ts";

/** The environment variable with the API key: arguments are visible to other users of the machine. */
const KEY_VARIABLE = "QUERN_API_KEY";

const TIMEOUT_MS = 30_000;
const WATCH_INTERVAL_MS = 2000;

export const types: Command = {
  name: "types",
  about: `Writes the tables of a document as types in TypeScript, for the client library. SOURCE is the URL of the document, in the browser or in the API, or a document file. The API key for a URL is read from ${KEY_VARIABLE}.`,
  options: [
    { name: "out", takes: "FILE", about: "File to write, such as schema.d.ts. Default: stdout." },
    { name: "watch", about: "Keep running, and write the file again when the tables have changed. Needs --out." },
  ],
  operands: ["SOURCE"],
  async run(input) {
    const { out } = input.options;
    const read = readerOf(input);
    if (input.switches.has("watch")) {
      if (out === undefined) throw invalid("--watch needs --out");
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

function readerOf({ operands, context }: CommandInput): Read {
  const [source = ""] = operands;
  if (/^https?:\/\//i.test(source)) return readUrl(source, context.env[KEY_VARIABLE]);
  if (!existsSync(source)) throw invalid(`file not found: ${source}`);
  return readFile(source);
}

function readUrl(source: string, key: string | undefined): Read {
  const address = typesAddress(source);
  let tag: string | null = null;
  return async () => {
    const response = await request(address, {
      ...(key !== undefined && { Authorization: `Bearer ${key}` }),
      ...(tag !== null && { "If-None-Match": tag }),
    });
    if (response.status === 304) return null;
    const text = await response.text();
    if (!response.ok) throw new AppError("unavailable", `${address} answered ${response.status}: ${reasonOf(text)}`);
    tag = response.headers.get("ETag");
    return text;
  };
}

/** @throws AppError `unavailable` if the server cannot be reached */
async function request(address: string, headers: Record<string, string>): Promise<Response> {
  try {
    return await fetch(address, { headers, signal: AbortSignal.timeout(TIMEOUT_MS) });
  } catch (error) {
    throw new AppError("unavailable", `${new URL(address).origin} does not answer: ${(error as Error).message}`);
  }
}

/** Returns the sentence of an error of the API. */
function reasonOf(text: string): string {
  try {
    return String((JSON.parse(text) as { error?: unknown }).error);
  } catch {
    return "not an API of Quern";
  }
}

/** Returns where the types are, from the address of a document's page or of the document in the API. */
function typesAddress(source: string): string {
  const parsed = URL.parse(source);
  const [, prefix = "", id] = /^((?:\/o\/[^/]+)?)\/(?:api\/)?docs\/([^/]+)/.exec(parsed?.pathname ?? "") ?? [];
  if (!parsed || id === undefined) throw invalid(`${source} is not the URL of a document, such as https://…/docs/ID`);
  return `${parsed.origin}${prefix}/api/docs/${id}/types.d.ts`;
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
      if (problem !== lastProblem) context.err(problem);
      lastProblem = problem;
    }
    if ((await Promise.race([stopped.promise, Bun.sleep(WATCH_INTERVAL_MS)])) === "stopped") return 0;
  }
}
