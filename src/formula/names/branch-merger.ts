import type { Scope, BranchAssignments } from "./scope.ts";

/** A way that assigns to nothing. */
export const NO_ASSIGNMENTS: BranchAssignments = new Map();

/** Goes several ways, each as far as it leads, and on from wherever they end; false when none of them does. */
export class BranchMerger {
  readonly #scope: Scope;
  readonly #branchEnds: BranchAssignments[] = [];

  constructor(scope: Scope) {
    this.#scope = scope;
  }

  /** `work` gives false when what stands behind is not reached. */
  branch(work: () => boolean): void {
    let isReachable = false;
    const way = this.#scope.branch(() => void (isReachable = work()));
    if (isReachable) this.#branchEnds.push(way);
  }

  merge(): boolean {
    if (this.#branchEnds.length > 0) this.#scope.merge(this.#branchEnds);
    return this.#branchEnds.length > 0;
  }
}
