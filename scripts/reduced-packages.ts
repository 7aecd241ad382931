/** Leaves out of the executable what packages contain and the program does not use, or needs rarely. */
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { brotliCompressSync } from "node:zlib";

/** Names of emoji sequences: only names of single characters are looked up. */
const SEQUENCE_NAMES = /\/unicode-name\/src\/sequence_name\.js$/;
/** Names of characters, 750 kB, which few documents look up. */
const CHARACTER_NAMES = /\/unicode-name\/src\/name\.js$/;
/** Error messages in 50 languages; English is the default. */
const SCHEMA_LOCALES = /\/zod\/v4\/locales\/index\.js$/;

/** Validates the answers of users to questions of tools, which no tool asks. */
const ANSWER_VALIDATOR = /\/@modelcontextprotocol\/server\/dist\/ajvProvider-[^/]*\.mjs$/;

/**
 * Returns the plugin for the bundler. `folder` receives compressed data, which the executable embeds.
 * Data in a script would take several times its size, as bytecode.
 */
export function reducedPackages(folder: string): Bun.BunPlugin {
  return {
    name: "reduced-packages",
    setup(bundle) {
      const empty = { SEQUENCES: {}, EMOJI_NOT_QUALIFIED: {}, COMMON_WORDS: [], REPLACE_BASE: 0 };
      bundle.onLoad({ filter: SEQUENCE_NAMES }, () => script(`export default ${JSON.stringify(empty)};`));
      bundle.onLoad({ filter: SCHEMA_LOCALES }, () => script(`export { default as en } from "./en.js";`));
      bundle.onLoad({ filter: ANSWER_VALIDATOR }, () =>
        script("class None {} export { None as n, None as r, None as t };"),
      );
      bundle.onLoad({ filter: CHARACTER_NAMES }, async ({ path }) => {
        const { default: names } = (await import(path)) as { default: unknown };
        return script(await embeddedJson(names, { folder, name: "character-names" }));
      });
    },
  };
}

const script = (contents: string): Bun.OnLoadResult => ({ contents, loader: "js" });

/** Writes the compressed JSON, and returns a module that exports its value. */
async function embeddedJson(value: unknown, { folder, name }: { folder: string; name: string }): Promise<string> {
  const path = join(folder, `${name}.json.br`);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await Bun.write(path, brotliCompressSync(JSON.stringify(value)));
  return `
    import { readFileSync } from "node:fs";
    import { brotliDecompressSync } from "node:zlib";
    import path from ${JSON.stringify(path)} with { type: "file" };
    export default JSON.parse(brotliDecompressSync(readFileSync(path)).toString());`;
}
