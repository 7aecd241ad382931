/** Loaded before all tests: sets the default timeout of every test file. */
import { plugin } from "bun";
import { setDefaultTimeout } from "bun:test";
import { extname } from "node:path";
import { en } from "../src/web/texts/en.ts";

/** Only ends tests that hang: on a loaded machine, tests take many times longer than alone. */
const TIMEOUT_MS = 120_000;

// For the hooks of modules that are loaded next; removing the folders of all tests may take long, too.
setDefaultTimeout(TIMEOUT_MS);

// Bun resets `setDefaultTimeout` after each file and has no setting for it: the call is injected into every file, on
// the first line, so that line numbers in stack traces stay correct.
plugin({
  name: "default timeout of tests",
  setup(build) {
    build.onLoad({ filter: /\.test\.tsx?$/ }, async ({ path }) => ({
      contents: `import.meta.require("bun:test").setDefaultTimeout(${TIMEOUT_MS}); ${await Bun.file(path).text()}`,
      loader: extname(path) === ".tsx" ? "tsx" : "ts",
    }));
  },
});

// Pages load the texts of their scripts before them.
Object.assign(globalThis, { quernTexts: en });
