/** Compares the reference pages with the program: what they list, and that an example comes first. */
import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { COMMANDS, optionsOf } from "../../src/commands/run.ts";
import { settingList } from "../../src/config.ts";
import { providerSettingList } from "../../src/config/oidc-settings.ts";
import { CODES, INTERNAL_CODE } from "../../src/errors/codes.ts";
import { FUNCTIONS } from "../../src/formula/functions/registry.ts";
import { METRICS } from "../../src/services/administration/metrics.ts";
import { blocksOf, isExecuted } from "./examples/blocks.ts";

const ROOT = join(import.meta.dir, "../..");
const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");
const pages = readdirSync(join(ROOT, "docs")).filter((name) => name.endsWith(".md") && name !== "README.md");

/** Returns the first cells of all table rows, and the row. */
const rowsOf = (page: string): (readonly [first: string, row: string])[] =>
  read(page)
    .split("\n")
    .flatMap((line) => {
      const [, first] = /^\| `([^`]+)`/.exec(line) ?? [];
      return first === undefined ? [] : [[first, line] as const];
    });

/** PostgreSQL is not part of the docs' examples. */
const needsPostgres = ({ attributes }: ReturnType<typeof blocksOf>[number]): boolean =>
  attributes["norun"] === "needs PostgreSQL";

describe("the reference pages list", () => {
  test("every setting, with its flag", () => {
    const rows = new Map(rowsOf("docs/settings.md"));
    const missing = settingList().filter(({ env, flag }) => !rows.get(env)?.includes(`\`--${flag} `));
    expect(missing.map(({ env }) => env)).toEqual([]);
    const providers = providerSettingList().map(({ env }) => env);
    expect(providers.filter((env) => !rows.has(env))).toEqual([]);
    expect(rows.size).toBe(settingList().length + providers.length);
  });

  test("every command, with an example and its options", () => {
    const sections = read("docs/command-line.md").split("\n## quern ");
    for (const command of COMMANDS) {
      const section = sections.find((text) => new RegExp(`^${command.name}( \\[?[A-Z=…]+\\]?)*\n`).test(text)) ?? "";
      const blocks = blocksOf(command.name, section).filter((block) => isExecuted(block) || needsPostgres(block));
      expect([command.name, blocks.some(({ text }) => text.includes(`quern ${command.name}`))]).toEqual([
        command.name,
        true,
      ]);
      const options = command.takesSettings ? [] : optionsOf(command);
      expect(options.filter(({ name }) => !section.includes(`\`--${name}`)).map(({ name }) => name)).toEqual([]);
    }
  });

  test("every metric", () => {
    expect(rowsOf("docs/metrics.md").map(([name]) => name)).toEqual(Object.keys(METRICS));
  });

  test("every error code, with what to do", () => {
    const codes = [...Object.values(CODES).flatMap((kind) => Object.keys(kind)), INTERNAL_CODE];
    const rows = new Map(
      rowsOf("docs/errors.md").flatMap(([code, row]) => (codes.includes(code) ? [[code, row] as const] : [])),
    );
    expect([...rows.keys()].toSorted()).toEqual(codes.toSorted());
    for (const [code, row] of rows) expect([code, row.split(" | ").length]).toEqual([code, 3]);
  });

  test("every event and every reason, and an example shows each event", () => {
    const source = read("src/services/events/event-frames.ts");
    const events = [...source.matchAll(/frame\("(\w+)"|`event: (\w+)/g)].map(([, a, b]) => a ?? b ?? "");
    expect(events.toSorted()).toEqual(["change", "end", "ready", "reset"]);
    const page = read("docs/events.md");
    const answers = blocksOf("docs/events.md", page).filter(({ language }) => language === "text");
    for (const event of events) {
      expect(page).toContain(`\n### ${event}\n`);
      expect([event, answers.some(({ text }) => text.includes(`event: ${event}\n`))]).toEqual([event, true]);
    }
    const reasons = [...source.matchAll(/Reason = ([^;]+);/g)].flatMap(([, list = ""]) =>
      [...list.matchAll(/"(\w+)"/g)].map(([, reason = ""]) => reason),
    );
    expect(reasons.length).toBeGreaterThan(8);
    expect(reasons.filter((reason) => !page.includes(`\`${reason}\``))).toEqual([]);
  });

  test("every function in capitals", () => {
    const page = read("docs/functions.md");
    const names = [...FUNCTIONS.keys()].filter((name) => /^[A-Z][A-Z0-9_]*$/.test(name));
    expect(names.filter((name) => !new RegExp(`\\b${name}\\b`).test(page))).toEqual([]);
  });
});

test("docs/README.md links every page once", () => {
  const links = [...read("docs/README.md").matchAll(/^- \[[^\]]+\]\(([\w-]+\.md)\): .+\.$/gm)].map(
    ([, page = ""]) => page,
  );
  expect(links.toSorted()).toEqual(pages.toSorted());
});

/** Guides that begin with an overview. */
const OVERVIEW_FIRST = new Set([
  "access-recipes.md",
  "form-pages.md",
  "forms.md",
  "migrating.md",
  "operations.md",
  "pages.md",
  "tables.md",
]);

describe("an executed example comes before the first table in", () => {
  test.each(pages.filter((page) => !OVERVIEW_FIRST.has(page)))("%s", (page) => {
    const text = read(`docs/${page}`);
    const [example] = blocksOf(page, text).filter((block) => isExecuted(block) || needsPostgres(block));
    const table = text.split("\n").findIndex((line) => line.startsWith("|---"));
    expect(example?.line ?? Infinity).toBeLessThan(table === -1 ? Infinity : table);
  });
});
