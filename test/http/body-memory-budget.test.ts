import { expect, test } from "bun:test";
import { BodyMemoryBudget } from "../../src/http/body-memory-budget.ts";

const FULL_FOR_ONE = expect.objectContaining({ code: "tooMany", retryAfterS: 1 });
const FULL = expect.objectContaining({ code: "unavailable", retryAfterS: 1 });

test("a caller gets half of the budget, all callers the whole, and released memory is available again", () => {
  const room = new BodyMemoryBudget(100);
  for (let i = 0; i < 8; i++) room.acquire("a", 100);
  expect(() => room.acquire("a", 1)).toThrow(FULL_FOR_ONE);
  for (let i = 0; i < 7; i++) room.acquire("b", 100);
  room.acquire("c", 100);
  expect(() => room.acquire("c", 1)).toThrow(FULL);
  room.release("b", 100);
  room.acquire("c", 100);
  expect(() => room.acquire("c", 1)).toThrow(FULL);
  room.release("a", 800);
  room.acquire("a", 800);
  expect(() => room.acquire("a", 1)).toThrow(FULL_FOR_ONE);
});
