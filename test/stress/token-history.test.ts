import { expect, test } from "bun:test";
import { TokenHistory } from "../../scripts/stress/log/token-history.ts";

test("the history of tokens finds lost, doubled, invented and wrongly refused writes, and accepts unknown ones", () => {
  const history = new TokenHistory();
  const [kept, lost, refused, applied, missing] = Array.from({ length: 5 }, () => history.begin("row"));
  history.settle(kept ?? "", "acknowledged");
  history.settle(lost ?? "", "acknowledged");
  history.settle(refused ?? "", "refused");
  expect(history.unknown).toBe(2);
  expect(history.acknowledged).toBe(2);
  expect(history.findContradictions([kept ?? "", lost ?? "", applied ?? ""], ["row"])).toEqual([]);
  expect(missing).toBe("row/5");
  const found = [kept ?? "", kept ?? "", refused ?? "", "row/77"];
  expect(history.findContradictions(found, ["row"])).toEqual([
    "1 writes acknowledged but lost: row/2",
    "1 writes applied twice: row/1",
    "1 writes refused but applied: row/3",
    "1 writes never sent: row/77",
  ]);
  expect(history.findContradictions([], ["doc"])).toEqual([]);
});
