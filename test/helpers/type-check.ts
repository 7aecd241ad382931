/** Checks generated and example sources with the compiler. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { tempFolder } from "./temp-folder.ts";

const ROOT = join(import.meta.dir, "../..");

export interface TypeProblem {
  readonly file: string;
  readonly line: number;
  /** `TS2322` */
  readonly code: string;
  readonly message: string;
}

export interface TypeCheckOptions {
  /** Further compiler options. */
  readonly compilerOptions?: Readonly<Record<string, unknown>>;
}

/** Returns what the compiler finds in some files, each by its name, with its strictest options. */
export async function typeProblems(
  files: Readonly<Record<string, string>>,
  { compilerOptions = {} }: TypeCheckOptions = {},
): Promise<TypeProblem[]> {
  const folder = tempFolder();
  const config = {
    compilerOptions: {
      target: "esnext",
      module: "preserve",
      moduleDetection: "force",
      lib: ["esnext", "dom", "dom.iterable"],
      types: [],
      strict: true,
      noUncheckedIndexedAccess: true,
      exactOptionalPropertyTypes: true,
      allowImportingTsExtensions: true,
      verbatimModuleSyntax: true,
      noEmit: true,
      ...compilerOptions,
    },
    files: Object.keys(files).map((name) => `./${name}`),
  };
  for (const [name, text] of Object.entries({ ...files, "tsconfig.json": JSON.stringify(config) })) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  const compiler = join(ROOT, "node_modules/.bin/tsc");
  const child = Bun.spawn([process.execPath, "run", "--bun", compiler, "--pretty", "false", "-p", folder], {
    cwd: folder,
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, err, status] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  const problems = [...out.matchAll(/^(.+?)\((\d+),\d+\): error (TS\d+): (.*)$/gm)].map(
    ([, file = "", line = "", code = "", message = ""]) => ({ file, line: Number(line), code, message }),
  );
  if (status !== 0 && problems.length === 0) throw new Error(`tsc: ${out}${err}`);
  return problems;
}
