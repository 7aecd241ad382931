import { describe, expect, test } from "bun:test";
import { RowGeometry, type RowGroup } from "../../../src/web/base/client/grid/row-geometry.ts";
import { Random } from "../../helpers/random.ts";
import { randomRuns } from "../../helpers/random-runs.ts";

const HEIGHTS = { row: 34, group: 36 };

interface Line {
  readonly top: number;
  readonly height: number;
  /** Of a group row. */
  readonly key: string | null;
  readonly offset: number;
  readonly groups: readonly string[];
}

/** All lines, one after another. */
function linesOf(groups: readonly RowGroup[], folded: ReadonlySet<string>): Line[] {
  const lines: Line[] = [];
  let offset = 0;
  const push = (key: string | null, path: readonly string[]) => {
    const before = lines.at(-1);
    const height = key === null ? HEIGHTS.row : HEIGHTS.group;
    lines.push({ top: before ? before.top + before.height : 0, height, key, offset, groups: path });
  };
  const add = (group: RowGroup, parents: readonly string[]) => {
    const path = [...parents, group.key];
    push(group.key, path);
    if (folded.has(group.key)) offset += group.rowCount;
    else if (group.groups.length > 0) for (const each of group.groups) add(each, path);
    else
      for (let at = 0; at < group.rowCount; at++) {
        push(null, path);
        offset++;
      }
  };
  for (const group of groups) add(group, []);
  return lines;
}

function randomGroups(
  random: Random,
  { levels, level = 0, name = "" }: { levels: number; level?: number; name?: string },
): RowGroup[] {
  return Array.from({ length: random.below(5) + (level === 0 ? 0 : 1) }, (_, at) => {
    const key = `${name}/${at}`;
    const groups = level + 1 < levels ? randomGroups(random, { levels, level: level + 1, name: key }) : [];
    const rowCount = groups.length > 0 ? groups.reduce((sum, each) => sum + each.rowCount, 0) : random.below(8) + 1;
    return { key, level, rowCount, groups };
  });
}

const keysOf = (groups: readonly RowGroup[]): string[] =>
  groups.flatMap(({ key, groups: own }) => [key, ...keysOf(own)]);

/** The group rows that stay at the top, found by looking at every pixel line. */
function stickyOf(lines: readonly Line[], scrollTop: number): [key: string, offset: number][] {
  const sticky: [string, number][] = [];
  for (let level = 0; ; level++) {
    const top = scrollTop + level * HEIGHTS.group;
    const line = lines.findLast((each) => each.top <= top);
    const key = line?.groups[level];
    const own = lines.find((each) => each.key === key);
    if (key === undefined || !own || own.top === top) return sticky;
    const last = lines.findLast(({ groups }) => groups[level] === key);
    const end = last ? last.top + last.height : 0;
    sticky.push([key, Math.min(level * HEIGHTS.group, end - HEIGHTS.group - scrollTop)]);
  }
}

const SEED = Number(process.env["QUERN_TEST_SEED"] ?? 3);

describe("row geometry", () => {
  test.each(Array.from({ length: randomRuns(100, 1000) }, (_, at) => SEED + at))(
    "agrees with a list of lines: seed %d",
    (seed) => {
      const random = new Random(seed);
      const groups = randomGroups(random, { levels: 1 + random.below(3) });
      const folded = new Set(random.some(keysOf(groups), 3));
      const geometry = new RowGeometry(groups, ({ key }) => folded.has(key), HEIGHTS);
      const lines = linesOf(groups, folded);
      const rows = lines.flatMap((line, at) => (line.key === null ? [{ ...line, at }] : []));
      const headers = lines.flatMap((line, at) => (line.key === null ? [] : [{ ...line, at }]));
      expect(geometry.rowCount).toBe(rows.length);
      expect(geometry.lineCount).toBe(lines.length);
      const end = lines.at(-1);
      expect(geometry.height).toBe(end ? end.top + end.height : 0);
      for (const [row, line] of rows.entries()) {
        expect(geometry.offsetOf(row)).toBe(line.offset);
        expect(geometry.rowAtOffset(line.offset)).toBe(row);
        expect(geometry.lineOf(row)).toBe(line.at);
        expect(geometry.topOf(row)).toBe(line.top);
        expect(geometry.atLine(line.at)).toEqual({ row });
        expect(geometry.groupsOf(row).map(({ key }) => key)).toEqual([...line.groups]);
      }
      const all = groups.reduce((sum, { rowCount }) => sum + rowCount, 0);
      const shown = new Set(rows.map(({ offset }) => offset));
      for (let offset = 0; offset < all; offset++)
        if (!shown.has(offset)) expect(geometry.rowAtOffset(offset)).toBe(-1);
      expect(geometry.groups.map(({ group, line, top, isFolded }) => [group.key, line, top, isFolded])).toEqual(
        headers.map(({ key, at, top }) => [key ?? "", at, top, folded.has(key ?? "")]),
      );
      for (const { key, at } of headers) expect(geometry.atLine(at)).toMatchObject({ shown: { group: { key } } });
      expect(geometry.atLine(lines.length)).toBeUndefined();
      for (let at = 0; at < 20; at++) {
        const top = random.below(geometry.height + 100);
        const bottom = top + 1 + random.below(300);
        const inView = lines.flatMap((line, index) =>
          line.top + line.height > top && line.top < bottom ? [{ ...line, index }] : [],
        );
        const found = geometry.between(top, bottom);
        expect(found.groups.map(({ group }) => group.key)).toEqual(inView.flatMap(({ key }) => key ?? []));
        const offsets = inView.filter(({ key }) => key === null).map(({ offset }) => offset);
        const expected = Array.from({ length: Math.max(0, found.last - found.first + 1) }, (_, row) =>
          geometry.offsetOf(found.first + row),
        );
        expect(expected).toEqual(offsets);
        if (top < geometry.height)
          expect(geometry.stickyAt(top).map(({ shown: { group }, offset }) => [group.key, offset])).toEqual(
            stickyOf(lines, top),
          );
      }
    },
  );
});
