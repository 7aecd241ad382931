/** The cache of owners. */
import { expect, test } from "bun:test";
import { Owners } from "../../../src/cluster/node/owners.ts";
import type { Owner } from "../../../src/cluster/postgres/statements/ownership.ts";

const owner = (node: string, changed: Partial<Owner> = {}): Owner => ({
  node,
  address: `http://${node}`,
  epoch: 1,
  isAlive: true,
  ...changed,
});

function ownersOf(rows: Record<string, Owner>) {
  const lookUps: string[] = [];
  const find = async (doc: string) => {
    lookUps.push(doc);
    return rows[doc] ?? null;
  };
  return { lookUps, rows, owners: new Owners({ find, nodeId: () => "self" }) };
}

test("another living node is looked up once; this node, a dead one and none are no other owner", async () => {
  const { owners, lookUps } = ownersOf({ a: owner("b"), c: owner("self"), d: owner("e", { isAlive: false }) });
  for (let i = 0; i < 3; i++) expect((await owners.other("a"))?.node).toBe("b");
  expect(lookUps).toEqual(["a"]);
  for (const doc of ["c", "d", "x"]) expect(await owners.other(doc)).toBeNull();
});

test("requests share a look-up", async () => {
  const { owners, lookUps } = ownersOf({ a: owner("b") });
  await Promise.all([owners.other("a"), owners.other("a"), owners.other("a")]);
  expect(lookUps).toEqual(["a"]);
});

test("an owner that has changed is looked up again, also when the look-up had begun before", async () => {
  const { owners, rows } = ownersOf({ a: owner("b") });
  await owners.other("a");
  rows["a"] = owner("c");
  expect((await owners.other("a"))?.node).toBe("b");
  owners.forget("a");
  expect((await owners.other("a"))?.node).toBe("c");
  owners.forgetAll();
  const before = owners.other("a");
  rows["a"] = owner("d");
  owners.forget("a");
  await before;
  expect((await owners.other("a"))?.node).toBe("d");
  expect((await owners.lookUp("a"))?.node).toBe("d");
});

test("a failed look-up is repeated", async () => {
  let isAway = true;
  const find = async () => {
    if (isAway) throw new Error("away");
    return owner("b");
  };
  const owners = new Owners({ find, nodeId: () => null });
  expect(await Promise.resolve(owners.other("a")).catch((error: unknown) => String(error))).toBe("Error: away");
  isAway = false;
  expect((await owners.other("a"))?.node).toBe("b");
});

test("the next owner of a document that this node has handed over is known, whatever an earlier look-up finds", async () => {
  const { owners, lookUps } = ownersOf({ a: owner("self") });
  const before = owners.other("a");
  owners.setOwner("a", owner("b", { epoch: 2 }));
  expect(await before).toBeNull();
  expect(await owners.other("a")).toEqual(owner("b", { epoch: 2 }));
  expect(lookUps).toEqual(["a"]);
});
