import { unreachable } from "../../lib/assert.ts";
import { spendSteps } from "../runtime/budget.ts";
import { sameCase } from "./character-classes.ts";
import type { RegexNode } from "./regex-node.ts";

/**
 * A backtracking matcher with Python's rules. JavaScript's regular expressions cannot be interrupted by a budget; here
 * each step is charged.
 */

/** The searched text and the progress of the match. */
interface MatchState {
  readonly codes: ArrayLike<number>;
  /** The end of the text for the matcher. */
  readonly end: number;
  /** Starts and ends of groups in turn; -1 for unmatched groups. */
  readonly groups: number[];
  readonly loops: Loop[];
  /** The group that closed last; 0 for none. */
  last: number;
  /** The end of the match. */
  matchEnd: number;
  /** The position where a full match must end; -1 if anywhere. */
  readonly requiredEnd: number;
  /** The position where no match may end; -1 if anywhere. */
  readonly forbiddenEnd: number;
}

interface Loop {
  count: number;
  start: number;
}

/** Continues the match at a position; returns true when the rest matches. */
type Step = (run: MatchState, at: number) => boolean;

export interface MatchResult {
  readonly start: number;
  readonly end: number;
  /** Starts and ends of groups in turn, beginning with group 1. */
  readonly groups: readonly number[];
  /** The group that closed last; 0 for none. */
  readonly last: number;
}

/** A compiled regular expression. */
export class Matcher {
  readonly #start: Step;
  readonly #groups: number;
  #loops = 0;

  constructor(root: RegexNode, groups: number) {
    this.#groups = groups;
    this.#start = this.#compile(root, (run, at) => {
      if (run.requiredEnd >= 0 && at !== run.requiredEnd) return false;
      if (at === run.forbiddenEnd) return false;
      run.matchEnd = at;
      return true;
    });
  }

  /** Returns the match that starts exactly at a position; with `whole` it must also reach the end. */
  matchAt(codes: ArrayLike<number>, at: number, end: number, whole: boolean): MatchResult | undefined {
    spendSteps(1);
    const run = this.#newState(codes, end, whole ? end : -1);
    return this.#start(run, at) ? { start: at, end: run.matchEnd, groups: run.groups, last: run.last } : undefined;
  }

  /** Returns the first match at or after a position, which must not end at `notAt`. */
  search(codes: ArrayLike<number>, from: number, end: number, notAt = -1): MatchResult | undefined {
    // A failed attempt restores the state, so that the next one can reuse it.
    const run = this.#newState(codes, end, -1, notAt);
    for (let at = from; at <= end; at++) {
      spendSteps(0.5);
      if (this.#start(run, at)) return { start: at, end: run.matchEnd, groups: run.groups, last: run.last };
    }
    return undefined;
  }

  #newState(codes: ArrayLike<number>, end: number, requiredEnd: number, forbiddenEnd = -1): MatchState {
    return {
      codes,
      end,
      groups: Array.from({ length: this.#groups * 2 }, () => -1),
      loops: Array.from({ length: this.#loops }, () => ({ count: 0, start: -1 })),
      matchEnd: -1,
      last: 0,
      requiredEnd,
      forbiddenEnd,
    };
  }

  #compile(node: RegexNode, next: Step): Step {
    switch (node.kind) {
      case "character": {
        const { test } = node;
        return (run, at) => at < run.end && test(run.codes[at] ?? -1) && next(run, at + 1);
      }
      case "literal": {
        const { codes } = node;
        return (run, at) => {
          if (at + codes.length > run.end) return false;
          for (let index = 0; index < codes.length; index++) {
            if (run.codes[at + index] !== codes[index]) return false;
          }
          return next(run, at + codes.length);
        };
      }
      case "sequence":
        return node.items.reduceRight((rest, item) => this.#compile(item, rest), next);
      case "choice": {
        const options = node.options.map((option) => this.#compile(option, next));
        return (run, at) => {
          for (const option of options) {
            spendSteps(1);
            if (option(run, at)) return true;
          }
          return false;
        };
      }
      case "repeat":
        return this.#compileRepeat(node, next);
      case "group":
        return this.#compileGroup(node.index, node.item, next);
      case "reference":
        return compileReference(node.index, node.ignoreCase, next);
      case "start": {
        const { eachLine } = node;
        return (run, at) => (at === 0 || (eachLine && run.codes[at - 1] === NEWLINE)) && next(run, at);
      }
      case "end": {
        const { eachLine } = node;
        return (run, at) => {
          const isEnd = at === run.end || (run.codes[at] === NEWLINE && (eachLine || at === run.end - 1));
          return isEnd && next(run, at);
        };
      }
      case "finish":
        return (run, at) => at === run.end && next(run, at);
      case "boundary": {
        const { isWord, negated } = node;
        return (run, at) => {
          const before = at > 0 && isWord(run.codes[at - 1] ?? -1);
          const after = at < run.end && isWord(run.codes[at] ?? -1);
          const isBoundary = run.end > 0 && before !== after;
          return isBoundary !== negated && (run.end > 0 || !negated) && next(run, at);
        };
      }
      case "look": {
        const item = this.#compile(node.item, DONE);
        const { negated, back } = node;
        return (run, at) => {
          spendSteps(1);
          const saved = saveGroups(run);
          const holds = at >= back && item(run, at - back);
          if (negated || !holds) restoreGroups(run, saved);
          if (holds === negated) return false;
          if (next(run, at)) return true;
          restoreGroups(run, saved);
          return false;
        };
      }
      case "atomic":
        return this.#compileAtomic(node.item, next);
      case "condition": {
        const yes = this.#compile(node.yes, next);
        const no = this.#compile(node.no, next);
        const end = node.index * 2 - 1;
        return (run, at) => ((run.groups[end] ?? -1) >= 0 ? yes(run, at) : no(run, at));
      }
      default:
        return unreachable(node);
    }
  }

  #compileAtomic(inside: RegexNode, next: Step): Step {
    const item = this.#compile(inside, DONE);
    return (run, at) => {
      spendSteps(1);
      const saved = saveGroups(run);
      if (item(run, at) && next(run, run.matchEnd)) return true;
      restoreGroups(run, saved);
      return false;
    };
  }

  #compileGroup(index: number, inside: RegexNode, next: Step): Step {
    const start = index * 2 - 2;
    const begun: number[][] = [];
    // The start is stored when the end is reached; until then the group keeps its previous span.
    const close: Step = (run, at) => {
      const stack = begun[index];
      const from = stack?.pop() ?? at;
      const before = run.groups[start] ?? -1;
      const beforeEnd = run.groups[start + 1] ?? -1;
      const { last } = run;
      run.groups[start] = from;
      run.groups[start + 1] = at;
      run.last = index;
      if (next(run, at)) return true;
      run.last = last;
      run.groups[start] = before;
      run.groups[start + 1] = beforeEnd;
      stack?.push(from);
      return false;
    };
    const item = this.#compile(inside, close);
    begun[index] = [];
    return (run, at) => {
      const stack = begun[index] ?? [];
      const depth = stack.length;
      stack.push(at);
      try {
        return item(run, at);
      } finally {
        stack.length = depth;
      }
    };
  }

  #compileRepeat(node: RegexNode & { kind: "repeat" }, next: Step): Step {
    const { item, min, max, mode } = node;
    if (mode === "possessive") {
      return this.#compileAtomic({ kind: "repeat", item, min, max, mode: "greedy" }, next);
    }
    const width = backtrackFreeWidth(item);
    if (width > 0) {
      const testItem = this.#compile(item, DONE);
      return mode === "greedy"
        ? repeatGreedy(testItem, width, [min, max], next)
        : repeatLazy(testItem, width, [min, max], next);
    }
    return this.#compileLoop(node, next);
  }

  #compileLoop({ item, min, max, mode }: RegexNode & { kind: "repeat" }, next: Step): Step {
    const index = this.#loops++;
    const again: Step = (run, at) => {
      spendSteps(2);
      const loop = run.loops[index];
      if (!loop) return false;
      const { count, start } = loop;
      const leave = (): boolean => count >= min && next(run, at);
      if (mode === "lazy" && leave()) return true;
      // Repeating an empty match would loop endlessly.
      if (count < max && !(count >= min && at === start)) {
        loop.count = count + 1;
        loop.start = at;
        if (body(run, at)) return true;
        loop.count = count;
        loop.start = start;
      }
      return mode === "greedy" && leave();
    };
    const body = this.#compile(item, again);
    return (run, at) => {
      const loop = run.loops[index];
      if (!loop) return false;
      const { count, start } = loop;
      loop.count = 0;
      loop.start = -1;
      if (again(run, at)) return true;
      loop.count = count;
      loop.start = start;
      return false;
    };
  }
}

const NEWLINE = 10;

/** The end of an independent submatch, such as a lookahead. */
const DONE: Step = (run, at) => {
  run.matchEnd = at;
  return true;
};

/** Returns the groups and the group that closed last. */
const saveGroups = (run: MatchState): readonly number[] => [...run.groups, run.last];

function restoreGroups(run: MatchState, saved: readonly number[]): void {
  for (let index = 0; index < run.groups.length; index++) run.groups[index] = saved[index] ?? -1;
  run.last = saved.at(-1) ?? 0;
}

/** Returns the width in characters of a node that can be repeated without backtracking into it; 0 for all others. */
function backtrackFreeWidth(node: RegexNode): number {
  if (node.kind === "character") return 1;
  if (node.kind === "literal") return node.codes.length;
  if (node.kind === "sequence") {
    const widths = node.items.map(backtrackFreeWidth);
    return widths.includes(0) ? 0 : widths.reduce((sum, width) => sum + width, 0);
  }
  if (node.kind !== "choice") return 0;
  const [first = 0, ...others] = node.options.map(backtrackFreeWidth);
  return others.every((width) => width === first) ? first : 0;
}

type RepeatRange = readonly [min: number, max: number];

function repeatGreedy(testItem: Step, width: number, [min, max]: RepeatRange, next: Step): Step {
  return (run, at) => {
    let to = at;
    let count = 0;
    for (; count < max && testItem(run, to); count++) to += width;
    spendSteps(count / 4 + 1);
    for (; count >= min; count--, to -= width) {
      spendSteps(1);
      if (next(run, to)) return true;
    }
    return false;
  };
}

function repeatLazy(testItem: Step, width: number, [min, max]: RepeatRange, next: Step): Step {
  return (run, at) => {
    for (let to = at, count = 0; ; to += width, count++) {
      spendSteps(1);
      if (count >= min && next(run, to)) return true;
      if (count >= max || !testItem(run, to)) return false;
    }
  };
}

function compileReference(index: number, ignoreCase: boolean, next: Step): Step {
  return (run, at) => {
    const start = run.groups[index * 2 - 2] ?? -1;
    const length = (run.groups[index * 2 - 1] ?? -1) - start;
    if (start < 0 || at + length > run.end) return false;
    spendSteps(length / 8 + 1);
    for (let offset = 0; offset < length; offset++) {
      const left = run.codes[start + offset] ?? -1;
      const right = run.codes[at + offset] ?? -1;
      if (left !== right && !(ignoreCase && sameCase(left, right))) return false;
    }
    return next(run, at + length);
  };
}
