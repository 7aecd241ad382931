/** Runs the examples of the documentation. A page whose example cannot run, or answers something else, fails. */
import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { CLIENT_VARIABLES, settingList } from "../../src/config.ts";
import { isProviderVariable } from "../../src/config/oidc-settings.ts";
import { ConcurrencyLimiter } from "../../src/lib/concurrency/concurrency-limiter.ts";
import { type PageOptions, runPage, SKIPPED_WITHOUT_PYTHON } from "./examples/run-page.ts";

const ROOT = join(import.meta.dir, "../..");
const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");
const pages = ["README.md", "CONTRIBUTING.md", "SECURITY.md", "docs/*.md"]
  .flatMap((glob) => [...new Bun.Glob(glob).scanSync({ cwd: ROOT })])
  .toSorted();

/** Pages that start the server themselves. */
const PAGE_OPTIONS: Readonly<Record<string, PageOptions>> = {
  "README.md": { hasServer: false },
  "docs/getting-started.md": { hasServer: false },
  "docs/sdk.md": { hasClient: true },
};

/** Programs that a page needs besides bash and curl. */
const PAGE_PROGRAMS: Readonly<Record<string, readonly string[]>> = {
  "README.md": ["tar", "zstd"],
  "docs/getting-started.md": ["python3", "tar", "zstd"],
  "docs/operations.md": ["tar", "zstd"],
  "docs/migrating.md": ["python3"],
  "docs/python.md": ["python3"],
};

/** Each page has a server process of its own. */
const limiter = new ConcurrencyLimiter(2);

/** All pages start at once and wait for their turn, so the last one waits for all others. */
const TIMEOUT_MS = 600_000;

const missing = (programs: readonly string[]): string[] => programs.filter((name) => Bun.which(name) === null);

if (SKIPPED_WITHOUT_PYTHON.length > 0) console.log("python3 is not installed: skipping the examples in Python.");

describe("the examples run as shown in", () => {
  for (const page of pages) {
    const programs = missing(["bash", "curl", ...(PAGE_PROGRAMS[page] ?? [])]);
    if (programs.length > 0) console.log(`Skipping the examples in ${page}, which need ${programs.join(", ")}.`);
    const isSkipped = programs.length > 0;
    test
      .skipIf(isSkipped)
      .concurrent(
        isSkipped ? `${page} (skipped: needs ${programs.join(", ")})` : page,
        () => limiter.run(() => runPage(page, read(page), PAGE_OPTIONS[page])),
        TIMEOUT_MS,
      );
  }

  const node = Bun.which("node");
  const isSkipped = node === null || missing(["bash", "curl"]).length > 0;
  test
    .skipIf(isSkipped)
    .concurrent(
      "docs/api.md in Node.js",
      () => limiter.run(() => runPage("docs/api.md", read("docs/api.md"), { javascript: node ?? "" })),
      TIMEOUT_MS,
    );
});

test.each(pages)("%s names existing settings", (page) => {
  const known = new Set<string>([...settingList().map(({ env }) => env), ...CLIENT_VARIABLES]);
  const named = read(page).match(/\bQUERN_[A-Z0-9_]*[A-Z0-9]\b(?!_)/g) ?? [];
  const isKnown = (name: string) => known.has(name) || isProviderVariable(name) || DEVELOPMENT.has(name);
  expect(named.filter((name) => !isKnown(name) && !name.startsWith("QUERN_TEST_"))).toEqual([]);
});

/** Variables of tests. */
const DEVELOPMENT: ReadonlySet<string> = new Set(["QUERN_UPDATE_FROZEN"]);
