/** A dry run leaves no trace: not in memory, in the history, in events, in webhooks or in later changes. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { createWebhookFixture, type WebhookFixture } from "../../helpers/webhook-fixture.ts";
import { subscribeNow } from "../../helpers/event-reader.ts";
import { testApp, type TestApp } from "../../helpers/app.ts";
import { Random } from "../../helpers/random.ts";
import { randomRuns } from "../../helpers/random-runs.ts";
import { difference, readContent, reported } from "./observed.ts";
import { createScene } from "./scene.ts";

let server: TestApp;
beforeAll(async () => {
  server = await testApp();
});
afterAll(() => server[Symbol.asyncDispose]());

test("the next event, state and row id are those of the write that follows", async () => {
  const doc = await createScene(server);
  await using reader = await subscribeNow(server, "owner", doc);
  const records = { records: [{ fields: { Amount: 1 } }] };
  for (let i = 0; i < 20; i++) {
    expect((await server.call("owner", "POST", `${doc}/tables/Orders/records?dryrun=1`, records)).status).toBe(200);
  }
  const states = async () => (await server.must<{ states: { n: number }[] }>("GET", `${doc}/states`)).states;
  const before = await states();
  expect(await server.must("POST", `${doc}/tables/Orders/records`, records)).toEqual({ records: [{ id: 5 }] });
  expect((await states()).length).toBe(before.length + 1);
  const event = await reader.next();
  expect(event?.data).toMatchObject({ action: (before[0]?.n ?? 0) + 1, actions: 1 });
});

/** Random changes of values, rows, columns and names, with valid and invalid targets. */
function randomActions(random: Random): unknown[][] {
  const id = 1 + random.below(6);
  const amount = random.below(100);
  const column = random.pick(["Amount", "Status", "Extra"]);
  return [
    random.pick<unknown[]>([
      [
        "AddRecord",
        "Orders",
        null,
        { Amount: amount, Customer: 1 + random.below(4), Status: random.pick(["new", "x"]) },
      ],
      ["UpdateRecord", "Orders", id, { Amount: amount, Status: random.pick(["new", "done", "y"]) }],
      ["UpdateRecord", "Customers", 1 + random.below(3), { Rate: amount }],
      ["RemoveRecord", "Orders", id],
      ["RemoveRecord", "Customers", id],
      ["AddColumn", "Orders", "Extra", { isFormula: true, formula: `$id * ${amount}` }],
      ["ModifyColumn", "Orders", column, { type: random.pick(["Int", "Text", "Numeric"]) }],
      ["RemoveColumn", "Orders", column],
      ["RenameColumn", "Orders", "Extra", "More"],
      ["ModifyColumn", "Orders", "Total", { formula: random.pick(["$Amount * 2", "$Customer.Rate", "$Nope"]) }],
    ]),
  ];
}

const SEED = Number(process.env["QUERN_TEST_SEED"] ?? 1);

test(`random dry runs are right and change no later result (QUERN_TEST_SEED=${SEED})`, async () => {
  const random = new Random(SEED);
  for (let run = 0; run < randomRuns(2, 20); run++) {
    // One document has dry runs in between, the other one only the writes.
    const [tried, plain] = [await createScene(server), await createScene(server)];
    const call = (doc: string, actions: unknown[][], query = "") =>
      server.call("owner", "POST", `${doc}/apply${query}`, actions);
    for (let step = 0; step < 12; step++) {
      await call(tried, [...randomActions(random), ...randomActions(random)], "?dryrun=1");
      const actions = [...randomActions(random), ...(random.oneIn(2) ? randomActions(random) : [])];
      const before = await readContent(server, tried);
      const dry = await call(tried, actions, "?dryrun=1");
      const reply = await call(tried, actions);
      expect(reply.status).toBe(dry.status);
      const other = await call(plain, actions);
      expect([reply.status, reply.body.retValues]).toEqual([other.status, other.body.retValues]);
      const after = await readContent(server, tried);
      if (dry.status === 200)
        expect({ actions, ...reported(dry.body) }).toEqual({ actions, ...difference(before, after) });
      expect(difference(await readContent(server, plain), after)).toEqual({});
    }
  }
});

let hooks: WebhookFixture | undefined;
afterAll(() => hooks?.[Symbol.asyncDispose]());

test("webhooks are counted for owners, and none is called", async () => {
  hooks = await createWebhookFixture();
  const { server: own, doc, receiver } = hooks;
  const id = await hooks.make({ name: "All" });
  await hooks.add({ Name: "A", Price: 1 }, { Name: "B", Price: 2 });
  await receiver.until((requests) => requests.flatMap(({ rows }) => rows).length === 2);
  await hooks.quiet();
  const received = receiver.received.length;
  const dry = (as: "owner" | "editor") =>
    own.call(as, "PATCH", `${doc}/tables/Goods/records?dryrun=1&filter={"id":{"gt":0}}`, { fields: { Price: 5 } });
  expect((await dry("owner")).body).toMatchObject({ webhooks: [{ id, name: "All", events: 2 }] });
  expect(await hooks.usage()).toMatchObject({ numWaiting: 0 });
  await hooks.change(1, { Price: 7 });
  await receiver.until((requests) => requests.length > received);
  expect(receiver.received.length).toBe(received + 1);
  expect(receiver.received.at(-1)?.rows).toMatchObject([{ id: 1, Price: 7 }]);
});
