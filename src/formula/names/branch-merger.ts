import type { Scope, BranchAssignments } from "./scope.ts";

/** A branch without assignments. */
export const NO_ASSIGNMENTS: BranchAssignments = new Map();

/** Walks alternative branches from the same state, then merges the end states of reachable branches. */
export class BranchMerger {
  readonly #scope: Scope;
  readonly #branchEnds: BranchAssignments[] = [];

  constructor(scope: Scope) {
    this.#scope = scope;
  }

  /** Walks one branch; `work` returns false when the code after it is unreachable. */
  branch(work: () => boolean): void {
    let isReachable = false;
    const branchEnd = this.#scope.branch(() => void (isReachable = work()));
    if (isReachable) this.#branchEnds.push(branchEnd);
  }

  merge(): boolean {
    if (this.#branchEnds.length > 0) this.#scope.merge(this.#branchEnds);
    return this.#branchEnds.length > 0;
  }
}
