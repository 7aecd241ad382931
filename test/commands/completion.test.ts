/** Completion scripts, run by the shells that are installed. */
import { beforeAll, describe, expect, test } from "bun:test";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { COMMANDS, optionsOf, run } from "../../src/commands/run.ts";
import { PROGRAM_COMMAND } from "../helpers/run-quern.ts";
import { tempFolder } from "../helpers/temp-folder.ts";

const folder = tempFolder();

/** How a shell completes lines: a program that reads the script and prints the candidates of each line. */
const SHELLS: Readonly<Record<string, (script: string, lines: readonly string[]) => string>> = {
  bash: (script, lines) =>
    [
      `. ${script}`,
      ...lines.map((line) => {
        const words = line.split(" ").map((word) => `'${word}'`);
        return `COMP_WORDS=(${words.join(" ")}); COMP_CWORD=${words.length - 1}; _quern; printf '%s\\n' "\${COMPREPLY[@]}" ==`;
      }),
    ].join("\n"),
  zsh: (script, lines) =>
    [
      "_describe() { local -a all; all=(${(P)4}); print -l -- ${all%%:*} }",
      // The part of _arguments that is used here: options, or the values of one.
      `_arguments() {
        local spec before=$words[CURRENT-1] current=$words[CURRENT]
        for spec in "$@"; do
          local name=\${\${spec#\\*}%%\\[*}
          if [[ $name == "$before" && $name == --* && $spec == *]:*:* ]]; then action=\${spec##*:}; break; fi
          [[ $current != -* && $spec == '*::argument:'* ]] && action=\${spec##*:}
          [[ $current == -* && $name == --* ]] && print -r -- $name
        done
        case $action in
          _files*) print -l -- *(N) ;;
          _quern_*) $action ;;
          \\(*\\)) print -l -- \${=\${action#\\(}%\\)} ;;
        esac
        action=
      }`,
      "compadd() { [[ $1 == -a ]] && print -l -- ${(P)2} }; compdef() { : }",
      `. ${script}`,
      ...lines.map((line) => {
        const words = line.split(" ").map((word) => `'${word}'`);
        return `words=(${words.join(" ")}); CURRENT=${words.length}; _quern; print -- '=='`;
      }),
    ].join("\n"),
  fish: (script, lines) =>
    [`source ${script}`, ...lines.map((line) => `complete -C '${line}' | string replace -r '\\t.*' ''; echo ==`)].join(
      "\n",
    ),
};

async function scriptOf(shell: string): Promise<{ status: number; script: string; err: string }> {
  const [out, err]: [string[], string[]] = [[], []];
  const status = await run({
    args: ["completion", shell],
    env: {},
    stdin: () => Promise.resolve(""),
    out: (line) => out.push(line),
    err: (line) => err.push(line),
    isOutputLost: async () => false,
    onStop() {},
    onReload() {},
    onUnhandledRejection() {},
    onUncaughtException() {},
  });
  return { status, script: `${out.join("\n")}\n`, err: err.join("\n") };
}

/** Returns what a shell offers for each line, without what the line does not begin with. */
async function complete(shell: string, lines: readonly string[]): Promise<string[][]> {
  const path = join(folder, `quern.${shell}`);
  writeFileSync(path, (await scriptOf(shell)).script);
  const child = Bun.spawn([shell, ...(shell === "zsh" ? ["-f"] : []), "-c", SHELLS[shell]?.(path, lines) ?? ""], {
    cwd: join(folder, "files"),
    env: {
      PATH: `${folder}:${process.env["PATH"]}`,
      HOME: folder,
      XDG_CONFIG_HOME: join(folder, "config"),
      TERM: "dumb",
    },
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  expect(err).toBe("");
  return out
    .split(/^==$/m)
    .slice(0, -1)
    .map((block, at) => {
      const current = lines[at]?.split(" ").at(-1) ?? "";
      return block.split("\n").filter((word) => word !== "" && word.startsWith(current));
    });
}

beforeAll(() => {
  // The program that the scripts ask for the names of profiles.
  const program = join(folder, "quern");
  writeFileSync(program, `#!/bin/sh\nexec ${PROGRAM_COMMAND.join(" ")} "$@"\n`);
  chmodSync(program, 0o755);
  mkdirSync(join(folder, "files"));
  writeFileSync(join(folder, "files", "orders file.csv"), "");
  mkdirSync(join(folder, "config", "quern"), { recursive: true });
  const profiles = Object.fromEntries(["home", "work"].map((name) => [name, { url: "https://a", key: "k" }]));
  writeFileSync(join(folder, "config", "quern", "profiles.json"), JSON.stringify({ profiles }), { mode: 0o600 });
});

const CASES: readonly (readonly [line: string, candidates: readonly string[]])[] = [
  ["quern rec", ["records"]],
  ["quern records ", ["add", "export", "list"]],
  ["quern records l", ["list"]],
  ["quern user a", ["add"]],
  ["quern backup l", ["list"]],
  ["quern records list --fo", ["--format"]],
  ["quern records list --format ", ["csv", "json", "ndjson", "table"]],
  ["quern records list --format n", ["ndjson"]],
  ["quern records export doc Orders --format x", ["xlsx"]],
  ["quern records list --profile ", ["home", "work"]],
  ["quern sql doc --profile w", ["work"]],
  ["quern records list --where ", []],
  ["quern records add --file o", ["orders file.csv"]],
  ["quern types o", ["orders file.csv"]],
  ["quern logout h", ["home"]],
  ["quern completion ", ["bash", "fish", "zsh"]],
  ["quern backup --ke", ["--keep"]],
  ["quern serve --po", ["--port"]],
];

const installed = (shell: string): boolean => Bun.which(shell) !== null;

describe.each(Object.keys(SHELLS))("in %s", (shell) => {
  test.skipIf(!installed(shell))(
    `quern is completed${installed(shell) ? "" : " (not installed)"}`,
    async () => {
      const found = await complete(
        shell,
        CASES.map(([line]) => line),
      );
      // fish quotes what it inserts.
      const plain = found.map((words) => words.map((word) => word.replaceAll("\\ ", " ")).toSorted());
      expect(CASES.map(([line], at) => [line, plain[at]])).toEqual(CASES.map(([line, words]) => [line, [...words]]));
    },
    60_000,
  );

  test.skipIf(!installed(shell))(
    "every command of the table is completed with all of its options",
    async () => {
      const lines = COMMANDS.map(({ name }) => `quern ${name} --`);
      const found = await complete(shell, lines);
      const expected = COMMANDS.map((command) => [...optionsOf(command).map(({ name }) => `--${name}`), "--help"]);
      expect(found.map((words, at) => [lines[at], [...new Set(words)].toSorted()])).toEqual(
        expected.map((words, at) => [lines[at], words.toSorted()]),
      );
      const firsts = [...new Set(COMMANDS.map(({ name }) => name.split(" ")[0] ?? ""))];
      const [offered = []] = await complete(shell, ["quern "]);
      expect(offered.filter((word) => !word.startsWith("-")).toSorted()).toEqual(firsts.toSorted());
    },
    60_000,
  );
});

test("another shell is refused", async () => {
  expect(await scriptOf("tcsh")).toEqual({
    status: 2,
    script: "\n",
    err: "quern completion: SHELL must be one of bash, zsh, fish",
  });
});
