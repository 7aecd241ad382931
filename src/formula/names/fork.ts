import type { Scope, Way } from "./scope.ts";

/** A way that assigns to nothing. */
export const STRAIGHT: Way = new Map();

/** Goes several ways, each as far as it leads, and on from wherever they end; false when none of them does. */
export class Fork {
  readonly #scope: Scope;
  readonly #ends: Way[] = [];

  constructor(scope: Scope) {
    this.#scope = scope;
  }

  /** `work` gives false when what stands behind is not reached. */
  go(work: () => boolean): void {
    let goesOn = false;
    const way = this.#scope.branch(() => void (goesOn = work()));
    if (goesOn) this.#ends.push(way);
  }

  meet(): boolean {
    if (this.#ends.length > 0) this.#scope.meet(this.#ends);
    return this.#ends.length > 0;
  }
}
