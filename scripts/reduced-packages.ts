/** Leaves out of the executable what packages contain and the program does not use, and compresses large data. */
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { en } from "../src/web/texts/en.ts";
import { embedLiterals, embedValue } from "./embedded-literals.ts";

/** Names of emoji sequences: only names of single characters are looked up. */
const SEQUENCE_NAMES = /\/unicode-name\/src\/sequence_name\.js$/;
/** Error messages in 50 languages; English is the default. */
const SCHEMA_LOCALES = /\/zod\/v4\/locales\/index\.js$/;

/** Validates the answers of users to questions of tools, which no tool asks. */
const ANSWER_VALIDATOR = /\/@modelcontextprotocol\/server\/dist\/ajvProvider-[^/]*\.mjs$/;

/** Scripts that are mostly data, which few documents and servers need. */
export const DATA_SCRIPTS: readonly (readonly [name: string, path: string])[] = [
  ["character-names", "unicode-name/src/name.js"],
  ["character-types", "unicode-name/src/type.js"],
  ["phone-numbers", "awesome-phonenumber/lib/index.js"],
];

/** The texts of pages: as data they take a quarter of the space, and the first page reads them. */
const TEXTS = /\/src\/web\/texts\/en\.ts$/;
const packages = join(import.meta.dir, "..", "node_modules");

/** Returns the plugin for the bundler. `folder` receives compressed data, which the executable embeds. */
export function reducedPackages(folder: string): Bun.BunPlugin {
  return {
    name: "reduced-packages",
    async setup(bundle) {
      const empty = { SEQUENCES: {}, EMOJI_NOT_QUALIFIED: {}, COMMON_WORDS: [], REPLACE_BASE: 0 };
      bundle.onLoad({ filter: SEQUENCE_NAMES }, () => script(`export default ${JSON.stringify(empty)};`));
      bundle.onLoad({ filter: SCHEMA_LOCALES }, () => script(`export { default as en } from "./en.js";`));
      bundle.onLoad({ filter: ANSWER_VALIDATOR }, () =>
        script("class None {} export { None as n, None as r, None as t };"),
      );
      await rm(folder, { recursive: true, force: true });
      // The bundler lists a folder once, so all files have to exist before it resolves the first one.
      const texts = await embedValue({ en }, { folder, name: "texts" });
      bundle.onLoad({ filter: TEXTS }, () => script(texts));
      for (const [name, path] of DATA_SCRIPTS) {
        const reduced = await embedLiterals(await Bun.file(join(packages, path)).text(), { folder, name });
        bundle.onLoad({ filter: new RegExp(`/${RegExp.escape(path)}$`) }, () => script(reduced));
      }
    },
  };
}

const script = (contents: string): Bun.OnLoadResult => ({ contents, loader: "js" });
