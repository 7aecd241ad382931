/** The form of CHANGELOG.md, which follows Keep a Changelog 1.1.0. */
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import manifest from "../../package.json";

const SECTIONS = ["Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"];
const text = readFileSync(join(import.meta.dir, "../../CHANGELOG.md"), "utf8");
const [preamble = "", ...parts] = text.split(/^## /m);
const versions = parts.map((part) => {
  const [heading = "", ...lines] = part.split("\n");
  const body = lines.join("\n");
  const [introduction = "", ...sections] = body.split(/^### /m);
  return { heading, introduction, sections: sections.map((section) => section.split("\n")) };
});
const released = versions.slice(1).map(({ heading }) => /^\[(\d+\.\d+\.\d+)\] - (\d{4}-\d{2}-\d{2})$/.exec(heading));

test("CHANGELOG.md begins with its title and the form that it follows", () => {
  expect(preamble).toStartWith("# Changelog\n");
  expect(preamble).toContain("https://keepachangelog.com/en/1.1.0/");
  expect(preamble).toContain("https://semver.org/");
});

test("CHANGELOG.md lists unreleased changes first, then versions with their dates, newest first", () => {
  expect(versions[0]?.heading).toBe("[Unreleased]");
  expect(versions.slice(1).filter((_, index) => released[index] === null)).toEqual([]);
  const numbers = released.map((match) => match?.[1] ?? "");
  expect(numbers).toEqual(numbers.toSorted((one, other) => Bun.semver.order(other, one)));
  const dates = released.map((match) => match?.[2] ?? "");
  expect(dates).toEqual(dates.toSorted().toReversed());
  expect(dates.filter((date) => Number.isNaN(Date.parse(date)))).toEqual([]);
});

test("the newest version of CHANGELOG.md is the version of package.json", () => {
  expect(released[0]?.[1]).toBe(manifest.version);
});

test.each(versions)("CHANGELOG.md groups the changes of $heading by kind", ({ introduction, sections }) => {
  const titles = sections.map(([title = ""]) => title);
  expect(titles).toEqual(SECTIONS.filter((section) => titles.includes(section)));
  expect(introduction).not.toMatch(/^- /m);
  for (const [title, ...lines] of sections) {
    const entries = lines.filter((line) => line !== "");
    expect({ title, entries: entries.length > 0 }).toEqual({ title, entries: true });
    expect(entries.filter((line) => !/^(- |  )/.test(line))).toEqual([]);
  }
});
