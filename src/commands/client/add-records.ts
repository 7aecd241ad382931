import { existsSync } from "node:fs";
import { extname } from "node:path";
import { CommandFailure, usageError, type CommandInput } from "../command.ts";
import { callServer, fetchJson } from "./call-server.ts";
import { resolveDocument, type ServerDocument } from "./document.ts";
import { INPUT_FORMATS, recordsOf } from "./input-records.ts";
import { pause, stopSignal, throwIfStopped } from "./output.ts";
import { printable } from "./printable.ts";
import { choiceOf } from "./records.ts";
import { withSuggestions } from "./suggest.ts";

const NDJSON = "application/x-ndjson";
/** A body of up to this size is kept in memory, and sent again if the connection fails. */
const MAX_KEPT_BYTES = 4 * 1024 ** 2;
const BATCH_BYTES = 65_536;
const RETRY_DELAYS_MS = [500, 1500];
const POLL_INTERVAL_MS = 300;
const MAX_FAILED_POLLS = 100;
const MAX_LISTED_ERRORS = 20;

/** Adds records from arguments, a file or stdin. */
export async function runAdd(input: CommandInput): Promise<number> {
  const [name = "", table = "", ...values] = input.operands;
  const signal = stopSignal(input.context);
  const lines = linesFor(input, values);
  const document = await resolveDocument(input, name, { signal });
  const params = new URLSearchParams();
  const onError = choiceOf(input, { name: "on-error", values: ["stop", "skip"] as const, fallback: "stop" });
  if (onError === "skip") params.set("onError", "skip");
  if (input.switches.has("atomic")) params.set("atomic", "1");
  const path = `${document.path}/tables/${encodeURIComponent(table)}/records?${params.toString()}`;
  await withSuggestions(document, table, async () => {
    const answer = await send(document, { path, lines, signal });
    if ("records" in answer) return report(input, answer, addedText(answer.records.map(({ id }) => id)));
    const job = await finished(input, document, answer, signal);
    report(input, job, jobText(job));
    requireSuccess(input, job);
  });
  return 0;
}

interface Added {
  readonly records: readonly { readonly id: number }[];
}

/** A job of the server, which adds the lines of a large body. */
interface Job {
  readonly id: string;
  readonly status: string;
  readonly lines: number;
  readonly processed: number;
  readonly skipped: number;
  readonly errors: readonly { readonly line: number | null; readonly error: string }[];
}

/** Returns the lines of the request. */
function linesFor({ context, options, ...input }: CommandInput, values: readonly string[]): AsyncGenerator<string> {
  const { file } = options;
  if (values.length > 0) {
    if (file !== undefined) throw usageError("--file cannot be combined with values");
    return linesOf(single(fieldsOf(values)));
  }
  if (file !== undefined && file !== "-" && !existsSync(file)) throw usageError(`file not found: ${file}`);
  const format = options["format"] ?? formatOfFile(file);
  const chosen = format === undefined ? undefined : choiceOf({ context, options: { format }, ...input }, FORMAT);
  return linesOf(recordsOf(file === undefined || file === "-" ? stdinOf(context) : Bun.file(file).stream(), chosen));
}

const FORMAT = { name: "format", values: INPUT_FORMATS, fallback: "json" } as const;

const formatOfFile = (file = ""): string | undefined =>
  INPUT_FORMATS.find((format) => extname(file).toLowerCase() === `.${format}`);

async function* stdinOf(context: CommandInput["context"]): AsyncGenerator<Uint8Array> {
  const streams = await context.streams?.();
  if (streams?.isInputTerminal) throw usageError("No records: name values as COLUMN=VALUE, or send records to stdin");
  if (streams) yield* streams.input();
  else yield new TextEncoder().encode(await context.stdin());
}

function fieldsOf(values: readonly string[]): Record<string, string> {
  const pairs = values.map((text): [string, string] => {
    const at = text.indexOf("=");
    if (at < 1) throw usageError(`${printable(text)} is not like Column=value`);
    return [text.slice(0, at), text.slice(at + 1)];
  });
  return Object.fromEntries(pairs);
}

async function* single<T>(value: T): AsyncGenerator<T> {
  yield value;
}

async function* linesOf(records: AsyncIterable<Record<string, unknown>>): AsyncGenerator<string> {
  for await (const fields of records) yield `${JSON.stringify(fields)}\n`;
}

interface Sent {
  readonly path: string;
  readonly lines: AsyncGenerator<string>;
  readonly signal: AbortSignal;
}

/** Sends the lines; those of a small body again, if the connection fails: the server applies them once. */
async function send({ server }: ServerDocument, { path, lines, signal }: Sent): Promise<Added | Job> {
  const bytes = encoded(lines);
  const kept: Uint8Array[] = [];
  let size = 0;
  while (size <= MAX_KEPT_BYTES) {
    // oxlint-disable-next-line no-await-in-loop -- chunks follow each other
    const { value, done } = await bytes.next();
    throwIfStopped(signal);
    if (done) {
      if (size === 0) throw usageError("The input has no records");
      return sendKept(server, path, Buffer.concat(kept), signal);
    }
    kept.push(value);
    size += value.length;
  }
  return sendStream(server, { path, signal, begin: Buffer.concat(kept), rest: bytes });
}

const headersFor = (): Record<string, string> => ({ "Content-Type": NDJSON, "Idempotency-Key": crypto.randomUUID() });

async function sendKept(
  server: ServerDocument["server"],
  path: string,
  body: Buffer<ArrayBuffer>,
  signal: AbortSignal,
) {
  const headers = headersFor();
  for (const delay of RETRY_DELAYS_MS) {
    try {
      // oxlint-disable-next-line no-await-in-loop -- attempts follow each other
      return await fetchJson<Added | Job>(server, path, { method: "POST", body, headers, signal });
    } catch (error) {
      if (!isTemporary(error)) throw error;
      // oxlint-disable-next-line no-await-in-loop -- waits between attempts
      await pause(delay, signal);
    }
  }
  return fetchJson<Added | Job>(server, path, { method: "POST", body, headers, signal });
}

interface Streamed {
  readonly path: string;
  readonly signal: AbortSignal;
  readonly begin: Buffer<ArrayBuffer>;
  readonly rest: AsyncGenerator<Uint8Array>;
}

async function sendStream(
  server: ServerDocument["server"],
  { path, signal, begin, rest }: Streamed,
): Promise<Added | Job> {
  let failure: unknown = null;
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(begin),
    async pull(controller) {
      try {
        const { value, done } = await rest.next();
        if (done) controller.close();
        else controller.enqueue(value);
      } catch (error) {
        // The server discards a body that is broken off.
        failure = error;
        controller.error(error);
      }
    },
  });
  try {
    return await fetchJson<Added | Job>(server, path, { method: "POST", body, headers: headersFor(), signal });
  } catch (error) {
    throw failure ?? error;
  }
}

async function* encoded(lines: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  let batch = "";
  for await (const line of lines) {
    batch += line;
    if (batch.length < BATCH_BYTES) continue;
    yield encoder.encode(batch);
    batch = "";
  }
  if (batch !== "") yield encoder.encode(batch);
}

/** Waits for the end of a job, which goes on when the command is stopped. */
async function finished(input: CommandInput, document: ServerDocument, begun: Job, signal: AbortSignal): Promise<Job> {
  let job = begun;
  let shown = -1;
  for (let failures = 0; job.status === "waiting" || job.status === "running";) {
    try {
      if (input.context.isTerminal && job.processed !== shown)
        input.context.err(`${grouped(job.processed)} of ${grouped(job.lines)} records`);
      shown = job.processed;
      // oxlint-disable-next-line no-await-in-loop -- polls until the job has ended
      await pause(POLL_INTERVAL_MS, signal);
      // oxlint-disable-next-line no-await-in-loop -- polls until the job has ended
      const response = await callServer(document.server, `/api/jobs/${encodeURIComponent(job.id)}`, { signal });
      // oxlint-disable-next-line no-await-in-loop -- polls until the job has ended
      job = (await response.json()) as Job;
      failures = 0;
    } catch (error) {
      if (signal.aborted)
        throw new CommandFailure(
          "stopped",
          `Stopped waiting; job ${job.id} goes on: DELETE /api/jobs/${job.id} cancels it`,
        );
      if (!isTemporary(error) || ++failures > MAX_FAILED_POLLS) throw error;
    }
  }
  return job;
}

const isTemporary = (error: unknown): boolean => error instanceof CommandFailure && error.exitStatus === 3;

const grouped = (count: number): string => count.toLocaleString("en");

const addedText = (ids: readonly number[]): string =>
  ids.length === 1 ? `Added record ${ids[0]}` : `Added ${grouped(ids.length)} records`;

const jobText = ({ processed, skipped }: Job): string =>
  `Added ${grouped(processed - skipped)} records${skipped > 0 ? `, skipped ${grouped(skipped)}` : ""}`;

function report({ context, switches }: CommandInput, answer: unknown, text: string): void {
  context.out(switches.has("json") ? JSON.stringify(answer) : text);
}

/** @throws CommandFailure unless the job has added all lines that it was not told to skip */
function requireSuccess({ context }: CommandInput, { status, errors }: Job): void {
  const lines = errors.slice(0, MAX_LISTED_ERRORS).map(({ line, error }) => {
    return line === null ? printable(error) : `Record ${grouped(line)}: ${printable(error)}`;
  });
  if (errors.length > MAX_LISTED_ERRORS) lines.push(`… ${grouped(errors.length - MAX_LISTED_ERRORS)} more`);
  if (status !== "completed") throw new CommandFailure("refused", `The job has ${status}`, lines);
  for (const line of lines) context.err(line);
}
