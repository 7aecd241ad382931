/** Links, headings and paths that the documentation for developers and users names. */
import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { MAY_IMPORT } from "../architecture/rules.ts";

const ROOT = join(import.meta.dir, "../..");
const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");
const pages = ["*.md", "docs/**/*.md"].flatMap((glob) => [...new Bun.Glob(glob).scanSync({ cwd: ROOT })]).toSorted();
const developerPages = pages.filter((path) =>
  /^(ARCHITECTURE|CONTRIBUTING|SECURITY)\.md$|^docs\/decisions\//.test(path),
);

const anchorsOf = (text: string): string[] =>
  [...text.matchAll(/^#+ (.*)$/gm)].map(([, title = ""]) =>
    title
      .toLowerCase()
      .replaceAll(/[^\w\- ]/g, "")
      .replaceAll(" ", "-"),
  );

test.each(pages)("%s links to existing pages and headings", (path) => {
  const links = [...read(path).matchAll(/\]\(([^)#:]*)(?:#([^)]+))?\)/g)];
  const broken = links.filter(([, file = "", anchor]) => {
    const target = file === "" ? path : join(dirname(path), file);
    if (!existsSync(join(ROOT, target))) return true;
    return anchor !== undefined && !anchorsOf(read(target)).includes(anchor);
  });
  expect(broken.map(([link]) => link)).toEqual([]);
});

test.each(developerPages)("%s names existing files and folders", (path) => {
  const named = [...read(path).matchAll(/`([\w.-]+(?:\/[\w.-]+)*\/?)`/g)].map(([, name = ""]) => name);
  const paths = named.filter((name) => /^[a-z].*(\/.*\.(tsx?|sql|css|json|c)|\/)$/.test(name) && !GENERATED.test(name));
  const missing = paths.filter((name) => !existsSync(join(ROOT, "src", name)) && !existsSync(join(ROOT, name)));
  expect(missing).toEqual([]);
});

describe("docs/README.md", () => {
  const index = read("docs/README.md");
  const listed = [...index.matchAll(/^- \[[^\]]+\]\(([\w-]+\.md)\): .+\.$/gm)].map(([, name = ""]) => name);

  test("lists every page once, with its title and a sentence", () => {
    const names = pages.flatMap((path) => /^docs\/([\w-]+\.md)$/.exec(path)?.[1] ?? []);
    expect(listed.toSorted()).toEqual(names.filter((name) => name !== "README.md").toSorted());
  });

  test("has a chapter before every page", () => {
    expect(index.match(/^## .+$/gm)).toEqual(["## Start", "## Guides", "## Reference"]);
    expect(index.indexOf("\n- ")).toBeGreaterThan(index.indexOf("\n## "));
  });
});

test("the address for vulnerabilities is written in one place", () => {
  const address = /\*\*(security@[\w.]+)\*\*/.exec(read("SECURITY.md"))?.[1] ?? "";
  expect(address).not.toBe("");
  expect(pages.filter((path) => read(path).includes(address))).toEqual(["SECURITY.md"]);
  expect(read("SECURITY.md").split(address)).toHaveLength(2);
});

/** Folders that a build or a running server creates. */
const GENERATED = /^(dist|tmp|backups|blobs)\//;

describe("ARCHITECTURE.md", () => {
  const rows = (read("ARCHITECTURE.md").split("\n## Layers\n")[1]?.split("\n## ")[0] ?? "")
    .split("\n")
    .filter((line) => line.startsWith("| `"))
    .map((line) => line.slice(2, -2).split(" | "));
  const namesIn = (cell: string): string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name);

  test("lists every folder with the imports that the rules allow", () => {
    const listed = rows.flatMap(([parts = "", , imports = ""]) =>
      namesIn(parts).map((part) => [part.replace(/\/$|\.ts$/, ""), namesIn(imports).toSorted()] as const),
    );
    const allowed = Object.entries(MAY_IMPORT).map(([part, imports]) => [part, [...imports].toSorted()] as const);
    expect(Object.fromEntries(listed)).toEqual(Object.fromEntries(allowed));
  });
});
