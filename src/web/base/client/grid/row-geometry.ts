/**
 * Where rows and group rows are. Rows are counted without those of folded groups, which are not shown; lines are the rows
 * and the group rows between them.
 */

/** A group of rows, with its groups of the next level. */
export interface RowGroup {
  /** Identifies the group among all of a table. */
  readonly key: string;
  /** From 0. */
  readonly level: number;
  /** Number of its rows, those of its groups included. */
  readonly rowCount: number;
  /** Empty on the last level. */
  readonly groups: readonly RowGroup[];
}

export interface Heights {
  readonly row: number;
  readonly group: number;
}

/** A group row that is shown. */
export interface ShownGroup<Group> {
  readonly group: Group;
  readonly isFolded: boolean;
  /** From 0, of rows and group rows. */
  readonly line: number;
  /** Offset from the top. */
  readonly top: number;
  /** The row that follows. */
  readonly row: number;
}

/** A group row, followed by those of its rows that are not in groups of the next level. */
interface Section<Group> extends ShownGroup<Group> {
  /** Indexes of the sections that contain it and its own, the outermost first. */
  readonly path: readonly number[];
  /** Number of rows that follow the group row. */
  readonly rowCount: number;
  /** Position of the first row among all rows, folded ones included. */
  readonly offset: number;
  /** Index of the section after all that belongs to the group. */
  end: number;
}

/** Rows that are in groups. */
export class RowGeometry<Group extends RowGroup = RowGroup> {
  readonly #sections: readonly Section<Group>[];
  readonly heights: Heights;
  /** Number of rows that are shown. */
  readonly rowCount: number;
  /** Number of all rows, with those of folded groups. */
  readonly totalCount: number;
  readonly lineCount: number;
  readonly height: number;

  constructor(groups: readonly Group[], isFolded: (group: Group) => boolean, heights: Heights) {
    this.#sections = sectionsOf(groups, isFolded, heights);
    this.heights = heights;
    const last = this.#sections.at(-1);
    this.rowCount = last ? last.row + last.rowCount : 0;
    this.totalCount = groups.reduce((sum, group) => sum + group.rowCount, 0);
    this.lineCount = this.#sections.length + this.rowCount;
    this.height = this.#sections.length * heights.group + this.rowCount * heights.row;
  }

  /** All group rows that are shown, in order. */
  get groups(): readonly ShownGroup<Group>[] {
    return this.#sections;
  }

  find(key: string): ShownGroup<Group> | undefined {
    return this.#sections.find(({ group }) => group.key === key);
  }

  /** The position of a group's first row among all rows; undefined for an unknown group. */
  startOf(key: string): number | undefined {
    return this.#sections.find(({ group }) => group.key === key)?.offset;
  }

  /** The position of a row among all rows; rows after the last group follow. */
  offsetOf(row: number): number {
    if (row >= this.rowCount) return this.totalCount + row - this.rowCount;
    const section = this.#sectionOf(row);
    return section ? section.offset + row - section.row : row;
  }

  /** The row at a position among all rows; -1 when its group is folded. */
  rowAtOffset(offset: number): number {
    const section = this.#sections[this.#lastIndex((each) => each.offset <= offset)];
    const within = section ? offset - section.offset : 0;
    return section && within < section.rowCount ? section.row + within : -1;
  }

  /** The line of a row, from 0. */
  lineOf(row: number): number {
    const section = this.#sectionOf(row);
    return section ? section.line + 1 + row - section.row : row;
  }

  topOf(row: number): number {
    if (row >= this.rowCount) return this.height + (row - this.rowCount) * this.heights.row;
    const section = this.#sectionOf(row);
    return section ? section.top + this.heights.group + (row - section.row) * this.heights.row : 0;
  }

  /** The row or the group row at a line; undefined beyond the last one. */
  atLine(line: number): { readonly row: number } | { readonly shown: ShownGroup<Group> } | undefined {
    const section = this.#sections[this.#lastIndex((each) => each.line <= line)];
    if (!section || line >= this.lineCount) return undefined;
    return line === section.line ? { shown: section } : { row: section.row + line - section.line - 1 };
  }

  /** The groups that contain a row, the outermost first. */
  groupsOf(row: number): Group[] {
    const path = this.#sectionOf(row)?.path ?? [];
    return path.flatMap((at) => this.#sections[at]?.group ?? []);
  }

  /** The first and last row between two offsets from the top, and the group rows there. Without rows, `last < first`. */
  between(top: number, bottom: number): { first: number; last: number; groups: ShownGroup<Group>[] } {
    const { row: rowHeight, group: groupHeight } = this.heights;
    const groups: ShownGroup<Group>[] = [];
    let first = -1;
    let last = -2;
    for (
      let at = Math.max(
        0,
        this.#lastIndex((each) => each.top <= top),
      );
      at < this.#sections.length;
      at++
    ) {
      const section = this.#sections[at];
      if (!section || section.top >= bottom) break;
      const begin = section.top + groupHeight;
      if (begin > top) groups.push(section);
      const start = Math.max(0, Math.floor((top - begin) / rowHeight));
      const end = Math.min(section.rowCount, Math.ceil((bottom - begin) / rowHeight));
      if (start >= end) continue;
      if (first < 0) first = section.row + start;
      last = section.row + end - 1;
    }
    return { first, last, groups };
  }

  /**
   * Returns the groups whose rows are scrolled to, the outermost first, with the offsets of their group rows from the top of
   * the view: they stay there, until the next group of their level pushes them out.
   */
  stickyAt(scrollTop: number): StickyGroup<Group>[] {
    const height = this.heights.group;
    const sticky: StickyGroup<Group>[] = [];
    for (;;) {
      const level = sticky.length;
      const top = scrollTop + level * height;
      const index = this.#lastIndex((each) => each.top <= top);
      const section = this.#sections[this.#sections[index]?.path[level] ?? -1];
      if (!section || section.top === top) return sticky;
      const end = this.#sections[section.end]?.top ?? this.height;
      sticky.push({ shown: section, offset: Math.min(level * height, end - height - scrollTop) });
    }
  }

  #sectionOf(row: number): Section<Group> | undefined {
    return this.#sections[this.#lastIndex((each) => each.row <= row)];
  }

  /** Finds the last section for which a condition holds, which holds for all before it; -1 when there is none. */
  #lastIndex(holds: (section: Section<Group>) => boolean): number {
    let low = 0;
    let high = this.#sections.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const section = this.#sections[middle];
      if (section && holds(section)) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }
}

export interface StickyGroup<Group> {
  readonly shown: ShownGroup<Group>;
  readonly offset: number;
}

function sectionsOf<Group extends RowGroup>(
  all: readonly Group[],
  isFolded: (group: Group) => boolean,
  heights: Heights,
): Section<Group>[] {
  const sections: Section<Group>[] = [];
  let [row, offset, top] = [0, 0, 0];
  const add = (groups: readonly Group[], parents: readonly number[]) => {
    for (const group of groups) {
      const index = sections.length;
      const path = [...parents, index];
      const folded = isFolded(group);
      const rowCount = folded || group.groups.length > 0 ? 0 : group.rowCount;
      const section = { group, isFolded: folded, line: index + row, top, row, path, rowCount, offset, end: 0 };
      sections.push(section);
      top += heights.group + rowCount * heights.row;
      row += rowCount;
      if (folded || group.groups.length === 0) offset += group.rowCount;
      else add(group.groups as readonly Group[], path);
      section.end = sections.length;
    }
  };
  add(all, []);
  return sections;
}
