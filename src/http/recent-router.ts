import type { Result, Router } from "hono/router";
import { TrieRouter } from "hono/router/trie-router";
import { Recent } from "../lib/recent.ts";

/** Finds routes as Hono's own router does, and remembers for the paths of late what it found. */
export class RecentRouter<T> implements Router<T> {
  readonly name = "RecentRouter";
  readonly #router = new TrieRouter<T>();
  /** By method. */
  readonly #recent = new Map<string, Recent<Result<T>>>();

  add(method: string, path: string, handler: T): void {
    this.#router.add(method, path, handler);
    this.#recent.set(method, new Recent());
  }

  match(method: string, path: string): Result<T> {
    const find = () => this.#router.match(method, path);
    return this.#recent.get(method)?.get(path, find) ?? find();
  }
}
