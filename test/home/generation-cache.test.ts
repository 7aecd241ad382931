import { expect, test } from "bun:test";
import { GenerationCache } from "../../src/home/generation-cache.ts";

function counted(most?: number) {
  const state = { generation: 1, reads: 0 };
  const memo = new GenerationCache<{ key: string }>(() => state.generation, most);
  const get = (key: string, found = true) =>
    memo.get(key, () => {
      state.reads++;
      return found ? { key } : null;
    });
  return { state, get };
}

test("values are cached until the database changes", () => {
  const { state, get } = counted();
  expect([get("a"), get("a"), get("b")]).toEqual([{ key: "a" }, { key: "a" }, { key: "b" }]);
  expect(state.reads).toBe(2);
  state.generation++;
  get("a");
  expect(state.reads).toBe(3);
});

test("null results are not cached", () => {
  const { state, get } = counted();
  expect([get("a", false), get("a", false), get("a")]).toEqual([null, null, { key: "a" }]);
  expect(state.reads).toBe(3);
});

test("the size is bounded", () => {
  const { state, get } = counted(2);
  for (const key of ["a", "b", "a", "b"]) get(key);
  expect(state.reads).toBe(2);
  for (const key of ["c", "c", "a"]) get(key);
  expect(state.reads).toBe(4);
});
