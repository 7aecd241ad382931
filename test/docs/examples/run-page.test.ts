/** The runner of examples itself: it accepts right examples, and reports wrong ones with what a writer needs. */
import { describe, expect, test } from "bun:test";
import manifest from "../../../package.json";
import { blocksOf } from "./blocks.ts";
import { runPage, SKIPPED_WITHOUT_PYTHON } from "./run-page.ts";

const FENCE = "```";
/** Writes a page of blocks: `[info string, text]`. */
const pageOf = (...blocks: readonly (readonly [string, string])[]): string =>
  `# Page\n\n${blocks.map(([info, text]) => `${FENCE}${info}\n${text}\n${FENCE}\n`).join("\n")}`;

const problemOf = (...blocks: readonly (readonly [string, string])[]): Promise<string> =>
  runPage("docs/page.md", pageOf(...blocks), { hasServer: false }).then(
    () => "",
    (error: Error) => error.message,
  );

const canRun = Bun.which("bash") !== null && Bun.which("curl") !== null;

test("finds blocks with their lines, languages and attributes", () => {
  const blocks = blocksOf("docs/page.md", pageOf(["sh", "true"], ['python formula table="Items"', "1 # → 1"]));
  expect(blocks).toEqual([
    { page: "docs/page.md", line: 3, language: "sh", attributes: {}, text: "true\n" },
    { page: "docs/page.md", line: 7, language: "formula", attributes: { table: "Items" }, text: "1 # → 1\n" },
  ]);
});

describe("without running, it refuses", () => {
  test.each([
    [['sh norun="too hard"', "rm -rf /"], 'norun="too hard" is not an accepted reason'],
    [["perl", "print 1"], 'blocks in "perl" cannot be run'],
    [["json", "{}"], "it is no answer of a block before it"],
    [['json request="POST /api/docs/{docId}/nothing"', "{}"], "the API has no operation"],
    [['json request="POST /api/docs/{docId}/webhooks"', '{"webhooks": [{}]}'], "must have required property"],
    [["yaml", "a: [1"], "SyntaxError"],
    [["env", "QUERN_PORT=many"], "QUERN_PORT"],
    [["ini", "[Unit]\nwhat is this"], "cannot parse the line what is this"],
  ] as const)("%p", async (block, problem) => {
    expect(await problemOf(block)).toContain(problem);
  });
});

describe.skipIf(!canRun)("it reports", () => {
  test("the page, the line, the command and the difference of a wrong answer", async () => {
    const problem = await problemOf(["sh", "echo one"], ["sh", "echo two"], ["text", "three"]);
    expect(problem).toContain("docs/page.md:7: sh block: it answers something else than line 11");
    expect(problem).toContain("--- the page shows\n    three\n--- got\n    two\n");
    expect(problem).toContain("--- the block\necho two\n");
  });

  test("a command that fails in the middle of a block, with its messages", async () => {
    const problem = await problemOf(["sh", "echo before\nls /nowhere\necho after"]);
    expect(problem).toContain("docs/page.md:3: sh block: it ended with status 2\nbefore\n");
    expect(problem).toContain("/nowhere");
    expect(problem).not.toContain("after\n--- the block");
  });

  test("an unset variable", async () => {
    expect(await problemOf(["sh", 'echo "$NOT_SET_BEFORE"'])).toContain("unbound variable");
  });

  test("a program that fails", async () => {
    expect(await problemOf(["js", "throw new Error('no luck')"])).toContain("no luck");
  });

  test("a wrong JSON answer, formatted", async () => {
    const problem = await problemOf(["sh", `echo '{"id": 1, "rows": [1, 2]}'`], ["json", '{"id": 2, …}']);
    expect(problem).toContain('{"id":1,"rows":[1,2]}');
  });

  test("a wrong query and a wrong formula, against the sample document", async () => {
    const run = (info: string, text: string, ...more: (readonly [string, string])[]) =>
      runPage("docs/page.md", pageOf([info, text], ...more)).then(
        () => "",
        ({ message }: Error) => message,
      );
    expect(await run("sql", "select Missing from Orders")).toContain("no such column");
    const formulas = "UPPER('a') # → \"A\"\n$Amount * 2 # → 5\n1/0 # → ValueError";
    expect(await run("python formula", formulas)).toBe(
      "docs/page.md:5: $Amount * 2\n--- the page shows\n    5\n--- got\n    4\n" +
        "docs/page.md:6: 1/0\n--- the page shows\n    ValueError\n--- got\n    ZeroDivisionError",
    );
  });
});

describe.skipIf(!canRun)("it accepts", () => {
  test("variables, files and modules that earlier blocks made", async () => {
    const blocks = [
      ["sh", "name=Ada; export NAME=Eva"],
      ["sh", 'echo "$name"'],
      ["text", "Ada"],
      ['js file="greet.mjs"', "export const greet = (name) => `Hello ${name}`;"],
      ["js", 'import { greet } from "./greet.mjs";\nconsole.log(greet(process.env.NAME));'],
      ["text", "Hello Eva"],
      ['sh exit="3"', "exit 3"],
      ["sh", "ls"],
      ["text", "greet.mjs"],
    ] as const;
    expect(await problemOf(...blocks)).toBe("");
  });

  test.skipIf(SKIPPED_WITHOUT_PYTHON.length > 0)("Python", async () => {
    expect(await problemOf(["python", "print(1 + 1)"], ["text", "2"])).toBe("");
  });

  test("`…` for any text of a line, any lines, and any part of a JSON value", async () => {
    expect(await problemOf(["sh", "printf 'a b c\\nd\\ne\\nf\\n'"], ["text", "a … c\n…\nf"])).toBe("");
    expect(await problemOf(["sh", `echo '{"id": 1, "a": [1, 2], "b": "x"}'`], ["json", '{"id": 1, "a": […], …}'])).toBe(
      "",
    );
  });

  test("processes in the background, until the next one of the same name, and their later output", async () => {
    const blocks = [
      ["sh", "mkdir inner; cd inner"],
      ['sh background="waits"', "basename $PWD; while [ ! -e go ]; do sleep 0.02; done; echo gone; sleep 100"],
      ["text", "inner"],
      ["sh", "touch go"],
      ['text output="waits"', "gone"],
      ['sh background="waits"', "echo second"],
      ["text", "second"],
    ] as const;
    expect(await problemOf(...blocks)).toBe("");
    expect(await problemOf(['sh background="waits"', "echo one"], ["text", "two"])).toContain("got\n    one");
    expect(await problemOf(["sh", "true"], ['text output="none"', "two"])).toContain(
      'no block before it has background="none"',
    );
  });

  test.skipIf(Bun.which("zstd") === null)("downloads of a release", async () => {
    const commands = [
      `curl -fsSLO https://quern.example/releases/quern-${manifest.version}-linux-x64.tar.zst`,
      `tar -xf quern-${manifest.version}-linux-x64.tar.zst`,
      `quern-${manifest.version}-linux-x64/quern --version`,
    ];
    expect(await problemOf(["sh", commands.join("\n")])).toBe("");
  });

  test("requests, queries and formulas against the sample document", async () => {
    const page = pageOf(
      ["sh", 'curl -sS -H "Authorization: Bearer $KEY" "$QUERN/api/docs/$DOC/tables/People/records?limit=1"'],
      ["json", '{"records": [{"id": 1, "fields": {"Name": "Ada", …}}]}'],
      ["sh", "quern user list"],
      ["text", "…ada@example.com…"],
      ["sql", "select Item, Price from Items where Price > 30"],
      ["csv", "Item,Price\nBasket,34\nPannier,58"],
      ["python formula", 'x = $Amount\nx * 2 # → 4\n$Ordered # → 2026-03-02\nUUID() # → "…"\nNoName # → NameError'],
      ['python formula table="Items" row="2"', '$Item # → "Basket"\n0.1 + 0.2 # → 0.3'],
    );
    await runPage("docs/page.md", page);
  });
});
