/** Counts what is under way by key, and says when it is enough. */
export class Gate {
  readonly #underWay = new Map<string, number>();

  /** Counts one more for `key`; false, and nothing counted, when `most` are under way. 0 = no limit. */
  enter(key: string, most: number): boolean {
    const now = this.#underWay.get(key) ?? 0;
    if (most > 0 && now >= most) return false;
    this.#underWay.set(key, now + 1);
    return true;
  }

  leave(key: string): void {
    const now = this.#underWay.get(key) ?? 0;
    if (now > 1) this.#underWay.set(key, now - 1);
    else this.#underWay.delete(key);
  }
}
