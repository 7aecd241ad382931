import { existsSync } from "node:fs";
import { CommandFailure, usageError, type CommandInput } from "../command.ts";
import { callServer } from "./call-server.ts";
import { resolveDocument } from "./document.ts";
import { printable } from "./printable.ts";

interface Change {
  readonly kind: string;
  readonly path: string;
  readonly message: string;
  readonly loss?: { readonly rows?: number; readonly cells?: number };
}

interface Changes {
  readonly version: string;
  readonly changes: readonly Change[];
  readonly losesData: boolean;
}

interface Refusal {
  readonly error?: string;
  readonly details?: {
    readonly code?: string;
    readonly problems?: readonly { readonly line?: number; readonly path: string; readonly message: string }[];
    readonly changes?: readonly Change[];
  };
}

/** Writes the schema of a document to a file, or to stdout. */
export async function runSchemaPull(input: CommandInput): Promise<number> {
  const { context, options, operands } = input;
  const { server, path } = await resolveDocument(input, operands[0] ?? "");
  const pulled = await (await callServer(server, `${path}/schema.yaml`)).text();
  const { out } = options;
  if (out === undefined) {
    context.out(pulled.trimEnd());
    return 0;
  }
  await Bun.write(out, existsSync(out) ? await updated(out, pulled) : pulled);
  return 0;
}

async function updated(file: string, pulled: string): Promise<string> {
  const { updateSchemaFile } = await import("../../services/schema-file/update-file.ts");
  return updateSchemaFile(await Bun.file(file).text(), pulled);
}

/** Prints what a schema file would change. Returns 1 if there are changes, as `diff` does. */
export async function runSchemaDiff(input: CommandInput): Promise<number> {
  try {
    const result = await send(input, "diff", {});
    print(input, result, "No changes");
    return result.changes.length > 0 ? 1 : 0;
  } catch (error) {
    // 1 means that there are changes.
    if (error instanceof CommandFailure && error.exitStatus === 1)
      throw new CommandFailure("usage", error.message, error.lines);
    throw error;
  }
}

/** Applies a schema file. */
export async function runSchemaApply(input: CommandInput): Promise<number> {
  const { "if-version": version } = input.options;
  const allowDataLoss = input.switches.has("allow-data-loss");
  const result = await send(input, "apply", { allowDataLoss, ...(version !== undefined && { version }) });
  print(input, result, "No changes");
  return 0;
}

async function send(input: CommandInput, action: "diff" | "apply", body: object): Promise<Changes> {
  const [source = "", file = ""] = input.operands;
  if (!existsSync(file)) throw usageError(`file not found: ${file}`);
  const schema = await Bun.file(file).text();
  const { server, path } = await resolveDocument(input, source);
  const request = { method: "POST", body: { schema, ...body }, expects: [400] };
  const response = await callServer(server, `${path}/schema/${action}`, request);
  const answer: unknown = await response.json();
  if (response.ok) return answer as Changes;
  throw refusalOf(answer as Refusal, file);
}

/** Lists all problems with their lines, and all losses. */
function refusalOf({ error = "refused", details = {} }: Refusal, file: string): CommandFailure {
  const { problems, changes } = details;
  if (problems) {
    const lines = problems.map(({ line, path, message }) =>
      printable(
        [`${file}${line === undefined ? "" : `:${line}`}`, path, message].filter((part) => part !== "").join(": "),
      ),
    );
    return new CommandFailure(
      "refused",
      `${file} has ${problems.length === 1 ? "a problem" : `${problems.length} problems`}:`,
      lines,
    );
  }
  if (changes) {
    return new CommandFailure(
      "refused",
      "Data would be lost; allow it with --allow-data-loss:",
      changes.map((change) => lineOf(change)),
    );
  }
  return new CommandFailure("refused", printable(error));
}

function print({ context, switches }: CommandInput, result: Changes, none: string): void {
  if (switches.has("json")) context.out(JSON.stringify(result));
  else if (result.changes.length === 0) context.out(none);
  else for (const change of result.changes) context.out(lineOf(change));
}

const SIGNS: Readonly<Record<string, string>> = { add: "+", remove: "-" };

function lineOf({ kind, message, loss }: Change): string {
  const lost =
    loss?.rows === undefined ? (loss?.cells === undefined ? "" : count(loss.cells, "cell")) : count(loss.rows, "row");
  return printable(`${SIGNS[kind] ?? "~"} ${message}${lost === "" ? "" : ` (loses ${lost})`}`);
}

const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? "" : "s"}`;
