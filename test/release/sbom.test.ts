/** The bill of materials and the notices name everything in the executable. */
import { beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { bundledPackages, thirdPartyNotices } from "../../scripts/release/notices.ts";
import { createSbom, validateSbom, type Bom } from "../../scripts/release/sbom.ts";
import { TARGETS } from "../../scripts/release/targets.ts";
import { tempFolder } from "../helpers/temp-folder.ts";

const ROOT = join(import.meta.dir, "../..");
const input = { root: ROOT, time: new Date(1_700_000_000_000), imagePackages: [{ name: "libc6", version: "2.36-9" }] };

describe.skipIf(Bun.which("npm") === null)("the bill of materials", () => {
  let bom: Bom;
  beforeAll(async () => {
    bom = await createSbom(input);
  });

  test("is valid according to the schema of CycloneDX", async () => {
    await validateSbom(bom);
  });

  test("is refused by the validation if it is damaged", async () => {
    const [first] = bom.components;
    const damaged = { ...bom, components: [{ ...first, type: "unknown" }] } as unknown as Bom;
    expect(validateSbom(damaged)).rejects.toThrow("violates the schema");
  });

  test("lists the program, all bundled packages, the Bun runtime, and the packages of the container image", async () => {
    expect(bom.metadata.component).toMatchObject({ name: "quern", type: "application" });
    const listed = bom.components.map(({ name, version }) => `${name} ${version}`);
    const bundled = (await bundledPackages(ROOT)).map(({ name, version }) => `${name} ${version}`);
    expect(bundled.filter((each) => !listed.includes(each))).toEqual([]);
    expect(listed).toContain(`bun ${Bun.version}`);
    expect(listed).toContain("libc6 2.36-9");
  });

  test("is the same when it is created again", async () => {
    expect(await createSbom(input)).toEqual(bom);
  });
});

describe("the notices", () => {
  test("include the licenses of Bun and of all bundled packages", async () => {
    const notices = await thirdPartyNotices(ROOT);
    expect(notices).toContain("JavaScriptCore");
    for (const { name, version } of await bundledPackages(ROOT)) expect(notices).toContain(`${name} ${version} (`);
  });

  test("include the licenses of the icons of pages: Lucide's, and Feather's for those derived from it", async () => {
    const parts = (await thirdPartyNotices(ROOT)).split(`\n\n${"-".repeat(80)}\n\n`);
    const icons = parts[parts.findIndex((part) => /^lucide-static [\d.]+ \(ISC\)$/.test(part)) + 1];
    expect(icons).toMatch(/^ISC License\s+Copyright \(c\) .* Lucide Icons/);
    expect(icons).toMatch(/The MIT License[^]*Copyright \(c\) .* Cole Bemis/);
  });

  test("cannot be created for a package whose license is unknown", async () => {
    const root = tempFolder();
    const folder = "node_modules/odd";
    mkdirSync(join(root, folder), { recursive: true });
    writeFileSync(join(root, folder, "package.json"), JSON.stringify({ author: "Ada" }));
    const locked = (license: string) =>
      writeFileSync(
        join(root, "package-lock.json"),
        JSON.stringify({ packages: { [folder]: { version: "1", license } } }),
      );
    locked("Secret");
    expect(thirdPartyNotices(root)).rejects.toThrow("odd has no license file");
    locked("MIT");
    expect(await thirdPartyNotices(root)).toContain("Copyright Ada");
  });

  test("cover every package that the bundler includes in the program and in the pages' scripts", async () => {
    // As in scripts/build.ts: the program contains no code that only runs from the sources.
    const shared = { minify: true, define: { QUERN_VERSION: '"1"', QUERN_BUILD: '"1"' }, metafile: true, throw: true };
    const build = async (target: "bun" | "browser", entrypoints: string[]): Promise<string[]> => {
      const { metafile } = await Bun.build({ ...shared, target, entrypoints });
      return Object.values(metafile?.outputs ?? {}).flatMap(({ inputs }) => Object.keys(inputs));
    };
    const scripts = ["src/web/base/client/*.ts", "src/web/pages/*/client/*.ts"].flatMap((pattern) => [
      ...new Bun.Glob(pattern).scanSync({ cwd: ROOT, absolute: true }),
    ]);
    const inputs = [...(await build("bun", [join(ROOT, "src/main.ts")])), ...(await build("browser", scripts))];
    const included = new Set(
      inputs.flatMap((path) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.slice(1) ?? []),
    );
    const covered = new Set((await bundledPackages(ROOT)).map(({ name }) => name));
    expect(included.size).toBeGreaterThan(10);
    expect([...included].filter((name) => !covered.has(name))).toEqual([]);
  });
});

test("package-lock.json has a checksum for the runtime of every target", async () => {
  const lock = (await Bun.file(join(ROOT, "package-lock.json")).json()) as {
    packages: Record<string, { integrity?: string; version: string }>;
  };
  for (const { runtime } of TARGETS) {
    expect(lock.packages[`node_modules/${runtime}`]).toMatchObject({
      version: Bun.version,
      integrity: expect.stringMatching(/^sha512-/),
    });
  }
});
