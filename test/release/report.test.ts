/** The checksum file, the release notes, and the examples that a release contains. */
import { $ } from "bun";
import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import manifest from "../../package.json";
import { archiveName } from "../../scripts/release/archive.ts";
import { IMAGE_USER } from "../../scripts/release/oci-base.ts";
import { HEALTH_CHECK } from "../../scripts/release/oci.ts";
import { changelogOf, checksumFile, releaseNotes } from "../../scripts/release/report.ts";
import { RELEASE_URL, TARGETS } from "../../scripts/release/targets.ts";
import { tempFolder } from "../helpers/temp-folder.ts";

const read = (path: string): Promise<string> => Bun.file(join(import.meta.dir, "../..", path)).text();

test("sha256sum accepts the checksum file, which is sorted by name", async () => {
  const folder = tempFolder();
  const paths = ["b.tar", "a.deb"].map((name) => join(folder, name));
  for (const path of paths) writeFileSync(path, path);
  const sums = await checksumFile(paths);
  expect(sums.split("\n").map((line) => line.slice(66))).toEqual(["a.deb", "b.tar", ""]);
  writeFileSync(join(folder, "SHA256SUMS"), sums);
  expect((await $`sha256sum --check --strict SHA256SUMS`.cwd(folder).quiet()).exitCode).toBe(0);
});

test("the release notes have the changes of the version, and list what was not run", async () => {
  const path = join(tempFolder(), "quern.tar.zst");
  writeFileSync(path, "archive");
  const changelog =
    "# Changelog\n\n## [Unreleased]\n\n- Later\n\n## [1.2.3] - 2026-01-31\n\n- Now\n\n## [1.2.2]\n\n- Before\n";
  const artefacts = [{ path, result: "built; not run" }];
  const notes = await releaseNotes({ version: "1.2.3", artefacts, remarks: ["Reproducible"], changelog });
  expect(notes).toContain("# Quern 1.2.3\n\n- Now\n\n## Files");
  expect(notes).toMatch(/\| quern\.tar\.zst \| 0\.0 KB \| `[0-9a-f]{64}` \| built; not run \|/);
  expect(changelogOf(changelog, "1.3.0-rc.1")).toBe("- Later");
});

test("the changelog has a section for the current version", async () => {
  expect(changelogOf(await read("CHANGELOG.md"), manifest.version)).not.toBe("");
});

const compose = await read("docs/deploy/compose.yaml");

describe("the Compose example", () => {
  const { services, volumes } = Bun.YAML.parse(compose) as {
    services: { quern: Record<string, unknown> & { healthcheck: Record<string, unknown> } };
    volumes: Record<string, unknown>;
  };
  const { quern } = services;

  test("runs the image of this version, with its data in a volume", () => {
    expect(quern["image"]).toBe(`quern:${manifest.version}`);
    expect(quern["volumes"]).toEqual(["quern-data:/var/lib/quern"]);
    expect(Object.keys(volumes)).toEqual(["quern-data"]);
    expect(compose).toContain(`quern-${manifest.version}-oci-amd64.tar`);
  });

  test("has a read-only root folder and no capabilities", () => {
    expect(quern).toMatchObject({ read_only: true, cap_drop: ["ALL"], security_opt: ["no-new-privileges:true"] });
  });

  test("checks the health as the image does", () => {
    expect(quern.healthcheck).toMatchObject({
      test: HEALTH_CHECK.Test,
      interval: `${HEALTH_CHECK.Interval / 1e9}s`,
      timeout: `${HEALTH_CHECK.Timeout / 1e9}s`,
      start_period: `${HEALTH_CHECK.StartPeriod / 1e9}s`,
    });
  });
});

test("the Containerfile has the user and the data folder of the image", async () => {
  const text = await read("docs/deploy/Containerfile");
  expect(text).toContain(`USER ${IMAGE_USER}:${IMAGE_USER}`);
  expect(text).toContain("VOLUME /var/lib/quern");
});

test("names of archives contain version, system, processor and C library", () => {
  expect(TARGETS.map((target) => archiveName("0.2.0", target))).toEqual([
    "quern-0.2.0-linux-x64",
    "quern-0.2.0-linux-arm64",
    "quern-0.2.0-linux-x64-musl",
    "quern-0.2.0-linux-arm64-musl",
    "quern-0.2.0-darwin-arm64",
    "quern-0.2.0-darwin-x64",
  ]);
});

test("the documentation downloads files of this version from the address of releases", async () => {
  const pages = ["README.md", ...new Bun.Glob("docs/*.md").scanSync({ cwd: join(import.meta.dir, "../..") })];
  const names = new Set<string>();
  for (const page of pages) {
    const text = await read(page);
    for (const [, name = ""] of text.matchAll(/\b(quern[-_]\d+\.\d+\.\d+[\w.-]*?)(?=\/|\W?(?:\s|`|$))/gm))
      names.add(name);
    for (const [address] of text.matchAll(/https?:\/\/[\w.-]+\/releases/g))
      expect([page, address]).toEqual([page, RELEASE_URL]);
  }
  expect(names.size).toBeGreaterThan(4);
  for (const name of names) expect(name).toContain(manifest.version);
});
