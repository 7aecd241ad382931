import type { Result, Router } from "hono/router";
import { TrieRouter } from "hono/router/trie-router";
import { BoundedCache } from "../lib/bounded-cache.ts";
import { PATH_CACHE_LIMITS } from "./paths.ts";

/** Matches routes with Hono's router, and caches the matches of recent paths. */
export class CachedRouter<T> implements Router<T> {
  readonly name = "RecentRouter";
  readonly #router = new TrieRouter<T>();
  /** By method; reset with each added route, which can change the matches of other paths. */
  readonly #caches = new Map<string, BoundedCache<string, Result<T>>>();

  add(method: string, path: string, handler: T): void {
    this.#router.add(method, path, handler);
    this.#caches.set(method, new BoundedCache(PATH_CACHE_LIMITS));
  }

  match(method: string, path: string): Result<T> {
    const findRoute = () => this.#router.match(method, path);
    return this.#caches.get(method)?.get(path, findRoute) ?? findRoute();
  }
}
