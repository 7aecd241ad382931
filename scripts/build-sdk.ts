/**
 * Builds the TypeScript client as an npm package: `bun scripts/build-sdk.ts [FOLDER]`, by default into dist/sdk, and prints
 * its packed size. It is not published.
 */
import { $ } from "bun";
import { mkdir, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import manifest from "../package.json";
import { CODES } from "../src/errors/codes.ts";

const root = join(import.meta.dir, "..");
const source = join(root, "src", "sdk");

/** Compressed with gzip, the code of the client: what a page has to load. */
const MAX_COMPRESSED_BYTES = 10 * 1024;

export interface BuiltSdk {
  readonly folder: string;
  /** The size of the minified code, compressed with gzip. */
  readonly compressedBytes: number;
}

/** Builds the package. @throws Error if the types are wrong or the code is larger than allowed */
export async function buildSdk(folder = join(root, "dist", "sdk")): Promise<BuiltSdk> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const built = await Bun.build({
    entrypoints: [join(source, "index.ts")],
    target: "browser",
    format: "esm",
    minify: true,
  });
  const [bundle] = built.outputs;
  if (!bundle) throw new Error("the client has no output");
  const code = await bundle.text();
  const compressedBytes = Bun.gzipSync(code, { level: 9 }).length;
  if (compressedBytes > MAX_COMPRESSED_BYTES)
    throw new Error(`the client has ${compressedBytes} compressed bytes; the maximum is ${MAX_COMPRESSED_BYTES}`);
  await Bun.write(join(folder, "index.js"), code);
  await writeDeclarations(folder);
  await Bun.write(join(folder, "package.json"), `${JSON.stringify(packageManifest(), null, 2)}\n`);
  await Bun.write(join(folder, "README.md"), README);
  await Bun.write(join(folder, "LICENSE"), Bun.file(join(root, "LICENSE")));
  return { folder, compressedBytes };
}

/** Writes the declarations of all modules. Those of the server's error codes are replaced by the list of the codes. */
async function writeDeclarations(folder: string): Promise<void> {
  const types = join(folder, "types-build");
  const options = [
    "--noEmit",
    "false",
    "--declaration",
    "--emitDeclarationOnly",
    "--outDir",
    types,
    "--rootDir",
    "src",
  ];
  const tsc = join(root, "node_modules", ".bin", "tsc");
  await $`${process.execPath} run --bun ${tsc} -p ${source} ${options}`.cwd(root).quiet();
  for (const path of new Bun.Glob("**/*.d.ts").scanSync({ cwd: join(types, "sdk") })) {
    const text = path === "error-code.d.ts" ? errorCodes() : await Bun.file(join(types, "sdk", path)).text();
    await Bun.write(join(folder, path), text.replaceAll(/(from ")(\.[^"]*)\.ts"/g, '$1$2.js"'));
  }
  await rm(types, { recursive: true });
}

function errorCodes(): string {
  const codes = Object.values(CODES).flatMap((group) => Object.keys(group));
  const union = codes.map((code) => `\n  | ${JSON.stringify(code)}`).join("");
  return `/** The codes of refused requests: \`details.code\`. */\nexport type ErrorCode =${union};\n`;
}

const packageManifest = () => ({
  name: "quern-client",
  version: manifest.version,
  description: "The TypeScript client of Quern, a document-database server",
  license: manifest.license,
  type: "module",
  sideEffects: false,
  exports: { ".": { types: "./index.d.ts", default: "./index.js" } },
  types: "./index.d.ts",
  engines: { node: ">=20" },
  files: ["index.js", "*.d.ts", "types", "README.md", "LICENSE"],
});

const README = `# quern-client

The TypeScript client of Quern, a document-database server: reads and writes the tables of a document, typed by their declarations.
It has no dependencies, and runs in browsers, Node.js 20, Bun, Deno and Workers. It is an ES module.

Write the types of a document into a file of your project, with the key in \`QUERN_API_KEY\`:

\`\`\`sh
quern types https://quern.example.com/docs/ID --out schema.d.ts
\`\`\`

\`\`\`ts
import { createClient } from "quern-client";
import type { Schema } from "./schema.d.ts";

const client = createClient<Schema>({ url: "https://quern.example.com", key: process.env.QUERN_API_KEY });
const orders = client.doc("ID").table("Orders");
const { records } = await orders.list({ filter: { Status: ["open"] }, fields: ["Amount", "Customer.City"], limit: 10 });
for (const { fields } of records) console.log(fields.Amount, fields["Customer.City"]);
\`\`\`

The documentation is a part of each server: \`/help/sdk\`.
`;

if (import.meta.main) {
  const { folder, compressedBytes } = await buildSdk(Bun.argv[2] === undefined ? undefined : resolve(Bun.argv[2]));
  const packed = await $`npm pack --dry-run --json`.cwd(folder).quiet().json();
  const [{ size, unpackedSize }] = Object.values(packed) as [{ size: number; unpackedSize: number }];
  console.log(
    `${folder}: code ${compressedBytes} bytes compressed; package ${size} bytes packed, ${unpackedSize} bytes unpacked`,
  );
}
