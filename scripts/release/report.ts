/** What became of each file of a release: the table at the end, and the release notes. */
import { basename } from "node:path";
import { sha256 } from "./builds.ts";

export interface Artefact {
  readonly path: string;
  /** "installed, first record after 2.1 s", "not run (macOS)". */
  readonly result: string;
}

export interface ReportInput {
  readonly version: string;
  readonly artefacts: readonly Artefact[];
  /** Statements about the whole release. */
  readonly remarks: readonly string[];
  readonly changelog: string;
}

/** Returns the release notes. */
export async function releaseNotes({ version, artefacts, remarks, changelog }: ReportInput): Promise<string> {
  return [
    `# Quern ${version}`,
    "",
    changelogOf(changelog, version),
    "",
    "## Files",
    "",
    await artefactTable(artefacts),
    "",
    ...remarks.map((remark) => `- ${remark}`),
    "",
  ].join("\n");
}

/** Returns a Markdown table of the files. */
export async function artefactTable(artefacts: readonly Artefact[]): Promise<string> {
  const rows = artefacts.map(async ({ path, result }) => {
    const bytes = Bun.file(path).size;
    const size = bytes < 1e6 ? `${(bytes / 1e3).toFixed(1)} KB` : `${(bytes / 1e6).toFixed(1)} MB`;
    return `| ${basename(path)} | ${size} | \`${await sha256(path)}\` | ${result} |`;
  });
  return ["| file | size | SHA-256 | tested |", "|---|---|---|---|", ...(await Promise.all(rows))].join("\n");
}

/** Returns the lines of `sha256sum`. */
export async function checksumFile(paths: readonly string[]): Promise<string> {
  const lines = paths.map(async (path) => `${await sha256(path)}  ${basename(path)}\n`);
  return (await Promise.all(lines)).toSorted((a, b) => (a.slice(66) < b.slice(66) ? -1 : 1)).join("");
}

/** Returns the section of a version in the changelog, without its heading; of a prerelease, the unreleased changes. */
export function changelogOf(changelog: string, version: string): string {
  const sections = changelog.split(/^## /m);
  const section = sections.find((each) => each.startsWith(`[${version}]`) || each.startsWith(version));
  const text = section ?? sections.find((each) => /^\[?Unreleased/.test(each)) ?? "";
  return text.split("\n").slice(1).join("\n").trim();
}
