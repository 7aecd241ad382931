/** Runs the examples of a page in order, in one folder and one shell, against a server of its own. */
import { cpSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { freePort } from "../../helpers/server-process.ts";
import { tempFolder } from "../../helpers/temp-folder.ts";
import { type Block, blocksOf, type Example, examplesOf, isConfiguration, isExecuted, uncheckable } from "./blocks.ts";
import { difference, isExpected } from "./expected-answer.ts";
import { checkFormulas } from "./formulas.ts";
import { type PageServer, startPageServer } from "./page-server.ts";
import { buildSdk } from "../../../scripts/build-sdk.ts";
import { RELEASE_URL } from "../../../scripts/release/targets.ts";
import { createReleases, writeProgram } from "./releases.ts";
import { BackgroundProcess, quote, Shell, type ShellOutcome } from "./shell.ts";
import { checkBody, checkConfiguration } from "./static-checks.ts";

export interface PageOptions {
  /** False if the page starts the server on its own. */
  readonly hasServer?: boolean;
  /** True if the page uses the TypeScript client, as an installed package. */
  readonly hasClient?: boolean;
  /** The program that runs JavaScript; Bun by default. */
  readonly javascript?: string;
}

/** Files that the examples of a page use: `page-files/attachments/invoice.pdf`. */
const PAGE_FILES = join(import.meta.dir, "page-files");

/** Programs that may be missing: blocks in their language are skipped then. */
const PYTHON = Bun.which("python3");

export const SKIPPED_WITHOUT_PYTHON: readonly string[] = PYTHON === null ? ["python"] : [];

/**
 * Runs a page.
 * @throws Error that names the page, the line, the command and the difference, for the first wrong example
 */
export async function runPage(page: string, markdown: string, options: PageOptions = {}): Promise<void> {
  const examples = examplesOf(blocksOf(page, markdown));
  for (const example of examples) {
    const problem = uncheckable(example) ?? staticProblem(example.block);
    if (problem !== null) throw failure(example.block, problem);
  }
  if (!examples.some(({ block }) => isExecuted(block))) return;

  const root = tempFolder();
  await using run = await startRun(root, page, options);
  for (const example of examples) await run.check(example);
}

function staticProblem(block: Block): string | null {
  const { request, response, norun } = block.attributes;
  if (norun !== undefined) return null;
  if (request !== undefined || response !== undefined) return checkBody(block);
  return isConfiguration(block) ? checkConfiguration(block) : null;
}

async function startRun(root: string, page: string, options: PageOptions): Promise<PageRun> {
  const { hasServer = true, hasClient = false, javascript = process.execPath } = options;
  const folderNamed = (name: string): string => join(root, name);
  const [folder, scripts, bin] = [folderNamed("work"), folderNamed("scripts"), folderNamed("bin")];
  for (const path of [folder, scripts, bin]) mkdirSync(path);
  const name = page.replace(/^.*\/|\.md$/g, "");
  if (existsSync(join(PAGE_FILES, name))) cpSync(join(PAGE_FILES, name), folder, { recursive: true });
  writeProgram(join(bin, "quern"));
  if (hasClient) await buildSdk(join(folder, "node_modules", "quern-client"));

  const data = folderNamed("data");
  const pageServer = hasServer ? await startPageServer(data) : null;
  const port = pageServer ? new URL(pageServer.variables.QUERN).port : String(freePort());
  const replacements = {
    "8080": port,
    "9000": String(freePort()),
    [RELEASE_URL]: await createReleases(folderNamed("releases")),
  };
  const environment = {
    HOME: folder,
    LANG: "C.UTF-8",
    PATH: [bin, dirname(process.execPath), process.env["PATH"] ?? ""].join(":"),
    PYTHONDONTWRITEBYTECODE: "1",
    ...(pageServer && { QUERN_DATA: data }),
    QUERN_PORT: port,
    ...pageServer?.variables,
  };
  return new PageRun({ folder, scripts, environment, javascript, replacements, pageServer });
}

interface RunContext {
  /** Working directory of the blocks. */
  readonly folder: string;
  readonly scripts: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly javascript: string;
  /** Ports and addresses of the page, and what the test uses for them. */
  readonly replacements: Readonly<Record<string, string>>;
  readonly pageServer: PageServer | null;
}

class PageRun implements AsyncDisposable {
  readonly #context: RunContext;
  readonly #shell: Shell;
  readonly #background = new Map<string, BackgroundProcess>();

  constructor(context: RunContext) {
    this.#context = context;
    this.#shell = new Shell(context.folder, context.scripts, context.environment);
  }

  /** Runs an example. Throws if it fails, or its answer differs from the page. */
  async check({ block: original, answer: originalAnswer }: Example): Promise<void> {
    const block = this.#replaced(original);
    const answer = originalAnswer && this.#replaced(originalAnswer);
    const { file, norun, output, background } = block.attributes;
    if (norun !== undefined) return;
    if (file !== undefined) return writeFileSync(join(this.#context.folder, file), block.text);
    if (output !== undefined) return this.#checkOutput(block, output, block);
    if (!isExecuted(block) || SKIPPED_WITHOUT_PYTHON.includes(block.language)) return;
    if (background !== undefined) return this.#start(block, background, answer);
    if (block.language === "formula") return checkAllFormulas(block, this.#context.pageServer);
    const outcome = await this.#execute(block);
    if (outcome.status !== Number(block.attributes["exit"] ?? 0))
      throw failure(block, `it ended with status ${outcome.status}\n${outcome.stdout}${outcome.stderr}`);
    const got = outcome.stdout === "" ? outcome.stderr : outcome.stdout;
    if (answer && !isExpected(answer, got)) throw wrongAnswer(block, answer, got);
  }

  #execute({ language, text, attributes }: Block): Promise<ShellOutcome> {
    switch (language) {
      case "js":
        return this.#shell.runProgram(quote(this.#context.javascript), ".mjs", text);
      case "python":
        return this.#shell.runProgram("python3", ".py", text);
      case "sql":
        return runSql(text, this.#context.pageServer);
      default:
        return this.#shell.run(text, { expectFailure: attributes["exit"] !== undefined });
    }
  }

  /** Starts a block in a terminal of its own, in the folder of the shell. */
  async #start(block: Block, name: string, answer: Block | null): Promise<void> {
    await this.#background.get(name)?.stop();
    const { stdout } = await this.#shell.run("pwd");
    const output = join(this.#context.scripts, `${name}-${block.line}.out`);
    const started = new BackgroundProcess(block.text, stdout.trim(), output, this.#context.environment);
    this.#background.set(name, started);
    if (answer) await this.#checkOutput(block, name, answer);
  }

  async #checkOutput(block: Block, name: string, answer: Block): Promise<void> {
    const running = this.#background.get(name);
    if (!running) throw failure(block, `no block before it has background="${name}"`);
    const got = await running.waitFor((output) => isExpected(answer, output));
    if (got !== null) throw wrongAnswer(block, answer, got);
  }

  #replaced(block: Block): Block {
    const { replacements } = this.#context;
    const pattern = new RegExp(Object.keys(replacements).map(wholeWord).join("|"), "g");
    return { ...block, text: block.text.replaceAll(pattern, (found) => replacements[found] ?? found) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const running of this.#background.values()) await running[Symbol.asyncDispose]();
    await this.#shell[Symbol.asyncDispose]();
    await this.#context.pageServer?.server.stop();
  }
}

const wholeWord = (text: string): string => `(?<!\\w)${RegExp.escape(text)}(?!\\w)`;

/** Runs a query on the sample document; its output are the column names and the rows as CSV. */
async function runSql(sql: string, server: PageServer | null): Promise<ShellOutcome> {
  const { call, document } = sampleDocument(server);
  type Result = { records: { fields: Record<string, unknown> }[] };
  try {
    const { records } = await call<Result>("POST", `/docs/${document}/sql`, { sql });
    const rows = records.map(({ fields }) => Object.values(fields).map(csvCell));
    const lines = [Object.keys(records[0]?.fields ?? {}), ...rows].map((row) => `${row.join(",")}\n`);
    return { status: 0, stdout: lines.join(""), stderr: "" };
  } catch (error) {
    return { status: 1, stdout: "", stderr: String(error) };
  }
}

const csvCell = (value: unknown): string =>
  typeof value === "string" ? value : value === null ? "" : JSON.stringify(value);

async function checkAllFormulas(block: Block, server: PageServer | null): Promise<void> {
  const { call, document } = sampleDocument(server);
  const problems = await checkFormulas(block, call, document);
  if (problems.length > 0) throw new Error(problems.join("\n"));
}

function sampleDocument(server: PageServer | null): { call: PageServer["call"]; document: string } {
  if (!server) throw new Error("the page starts its own server, so the test knows no document on it");
  return { call: server.call, document: server.variables.DOC };
}

const wrongAnswer = (block: Block, answer: Block, got: string): Error =>
  failure(block, `it answers something else than line ${answer.line}\n${difference(answer, got)}`);

const failure = ({ page, line, language, text }: Block, problem: string): Error =>
  new Error(`${page}:${line}: ${language || "unnamed"} block: ${problem.trimEnd()}\n--- the block\n${text}`);
