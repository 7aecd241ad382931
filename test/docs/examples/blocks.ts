/** The fenced blocks of a page, and how each of them is checked. */

export interface Block {
  /** Path of the page. */
  readonly page: string;
  /** The line of the opening fence, from 1. */
  readonly line: number;
  /** `sh`, `js`, `python`, `formula`, `json`, …; empty without an info string. */
  readonly language: string;
  /** Attributes of the info string: `norun="needs systemd"`. */
  readonly attributes: Readonly<Record<string, string>>;
  readonly text: string;
}

/** An executed or validated block, with the answer that the page shows for it. */
export interface Example {
  readonly block: Block;
  readonly answer: Block | null;
}

const EXECUTED = new Set(["sh", "js", "python", "sql", "formula"]);
const ANSWERS = new Set(["json", "text", "csv", "http", ""]);
const CONFIGURATION = new Set(["yaml", "toml", "ini", "env", "nginx", "caddyfile"]);
const ATTRIBUTES = new Set(["norun", "file", "exit", "background", "output", "request", "response", "table", "row"]);

/** Accepted reasons for a block that does not run. */
export const NORUN_REASONS: ReadonlySet<string> = new Set([
  "needs systemd",
  "needs root",
  "needs a container engine",
  "needs another machine",
  "needs a bucket",
  "needs PostgreSQL",
  "needs the established server",
  "runs in a web page",
  "works on the source code",
  "downloads a package",
  "illustration",
]);

/** Returns the fenced blocks of a page in order. */
export function blocksOf(page: string, markdown: string): Block[] {
  const blocks: Block[] = [];
  const lines = markdown.split("\n");
  for (let i = 0; i < lines.length; i++) {
    const [, indent = "", fence = "", info = ""] = /^( *)(`{3,}|~{3,})(.*)$/.exec(lines[i] ?? "") ?? [];
    if (fence === "") continue;
    const start = i;
    const content: string[] = [];
    for (i++; i < lines.length && lines[i]?.trim() !== fence; i++) content.push((lines[i] ?? "").slice(indent.length));
    blocks.push({ page, line: start + 1, ...parseInfo(info), text: `${content.join("\n")}\n` });
  }
  return blocks;
}

function parseInfo(info: string): Pick<Block, "language" | "attributes"> {
  const attributes = Object.fromEntries(
    [...info.matchAll(/([\w-]+)="([^"]*)"/g)].map(([, name = "", value = ""]) => [name, value]),
  );
  const words = info
    .replaceAll(/[\w-]+="[^"]*"/g, "")
    .trim()
    .split(/\s+/);
  const [language = ""] = words;
  return { language: words[1] === "formula" ? "formula" : language, attributes };
}

/** Pairs the blocks of a page with their answers: the next block in a format of answers, without attributes. */
export function examplesOf(blocks: readonly Block[]): Example[] {
  const examples: Example[] = [];
  for (const block of blocks) {
    const last = examples.at(-1);
    const isAnswer = ANSWERS.has(block.language) && Object.keys(block.attributes).length === 0;
    if (isAnswer && last?.answer === null && isExecuted(last.block))
      examples[examples.length - 1] = { ...last, answer: block };
    else examples.push({ block, answer: null });
  }
  return examples;
}

export const isExecuted = ({ language, attributes }: Block): boolean =>
  EXECUTED.has(language) && attributes["norun"] === undefined && attributes["file"] === undefined;

export const isConfiguration = ({ language }: Block): boolean => CONFIGURATION.has(language);

/** Returns why a block cannot be checked; null if it can. */
export function uncheckable({ block }: Example): string | null {
  const { language, attributes } = block;
  const unknown = Object.keys(attributes).find((name) => !ATTRIBUTES.has(name));
  if (unknown !== undefined) return `the attribute ${unknown} does not exist`;
  const reason = attributes["norun"];
  if (reason !== undefined) return NORUN_REASONS.has(reason) ? null : `norun="${reason}" is not an accepted reason`;
  if (attributes["background"] !== undefined && language !== "sh") return "only sh runs in the background";
  if (attributes["file"] !== undefined || attributes["output"] !== undefined) return null;
  if (isExecuted(block) || isConfiguration(block)) return null;
  if (language === "json" && (attributes["request"] !== undefined || attributes["response"] !== undefined)) return null;
  if (ANSWERS.has(language))
    return 'it is no answer of a block before it: add request="POST /api/…", response="GET /api/…", file="…" or norun="…"';
  return `blocks in "${language}" cannot be run`;
}
