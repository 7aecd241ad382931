import type { Result, Router } from "hono/router";
import { TrieRouter } from "hono/router/trie-router";
import { Recent } from "../lib/recent.ts";
import { RECENT_PATHS } from "./path.ts";

/** Finds routes as Hono's own router does, and remembers for the paths of late what it found. */
export class RecentRouter<T> implements Router<T> {
  readonly name = "RecentRouter";
  readonly #router = new TrieRouter<T>();
  /** By method; begun afresh with each route, since it may be what other paths mean as well. */
  readonly #recent = new Map<string, Recent<string, Result<T>>>();

  add(method: string, path: string, handler: T): void {
    this.#router.add(method, path, handler);
    this.#recent.set(method, new Recent(RECENT_PATHS));
  }

  match(method: string, path: string): Result<T> {
    const find = () => this.#router.match(method, path);
    return this.#recent.get(method)?.get(path, find) ?? find();
  }
}
