/** What subscriptions do with a running server: a part of the suite that runs in all runtimes. */
import {
  type Client,
  createClient,
  type ExpandPath,
  type FieldPath,
  type LiveListener,
  type LiveState,
  type Projection,
  type SubscribeOptions,
  type Table,
} from "quern-client";
import { type Check, equal, type Shop, type SuiteOptions } from "./suite-checks.ts";

const TIMEOUT_MS = 60_000;

/** A subscription with the kinds of its changes and statuses. */
function following<
  S,
  T extends keyof S,
  const Path extends FieldPath<S, T> = never,
  const Expand extends ExpandPath<S, T> = never,
>(table: Table<S, T>, query: SubscribeOptions<S, T, Path, Expand, "normal">) {
  type Fields = Projection<S, T, Path, Expand, "normal">;
  const notices: Parameters<LiveListener<Fields>>[] = [];
  let wake = () => {};
  const live = table.subscribe(query, (...notice) => {
    notices.push(notice);
    wake();
  });
  /** Waits for a state. */
  const until = async (isReached: (state: LiveState<Fields>) => boolean): Promise<void> => {
    const end = Date.now() + TIMEOUT_MS;
    while (!isReached(live.state)) {
      if (Date.now() > end) throw new Error(`not reached: ${JSON.stringify(live.state).slice(0, 2000)}`);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, 1000);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  };
  const kinds = () => notices.map(([, change]) => change.type);
  return { live, notices, kinds, until };
}

/** A client whose responses are read only after `release`. */
function stalling(options: SuiteOptions): { client: Client<Shop>; release: () => void } {
  let release = () => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  const client = createClient<Shop>({
    ...options,
    async fetch(address, init) {
      const response = await fetch(address, init);
      const reader = response.body?.getReader();
      let isFirst = true;
      const stalled = new ReadableStream<Uint8Array>(
        {
          async pull(controller) {
            if (!isFirst) await released;
            isFirst = false;
            const { done, value } = (await reader?.read()) ?? { done: true };
            if (done || !value) controller.close();
            else controller.enqueue(value);
          },
          cancel: () => reader?.cancel(),
        },
        { highWaterMark: 0 },
      );
      return new Response(stalled, { status: response.status });
    },
  });
  return { client, release };
}

export function liveChecks(options: SuiteOptions): readonly Check[] {
  const { url, key, doc: id } = options;
  const doc = createClient<Shop>({ url, key }).doc(id);
  const items = doc.table("Items");

  return [
    [
      "keeps the records of a filter current",
      async () => {
        const query = { filter: { Category: ["Parts"] }, fields: ["Item", "Price"] } as const;
        const { live, until, notices } = following(items, query);
        await until(({ status }) => status === "live");
        equal(live.state.records, (await items.list(query)).records);
        const [added = 0] = await items.create([{ Item: "Pedal", Category: "Parts", Price: 9 }]);
        await until(({ records }) => records.some((record) => record.id === added));
        await items.update([{ id: added, fields: { Price: 8 } }]);
        await until(({ records }) => records.some(({ fields }) => fields.Price === 8));
        equal(live.state.records, (await items.list(query)).records);
        // Still a record of the table, but no longer of the result.
        await items.update([{ id: added, fields: { Category: "Bags" } }]);
        await until(({ records }) => !records.some((record) => record.id === added));
        const changes = notices.map(([, change]) => change);
        equal(changes[0], { type: "reset", reason: "start" });
        equal(changes.at(-1), { type: "change", added: [], updated: [], removed: [added] });
        live.unsubscribe();
        await items.delete([added]);
        equal(live.state.status, "closed");
      },
    ],
    [
      "follows references",
      async () => {
        const query = { filter: { id: [1] }, fields: ["Customer.City"], expand: ["Item"] } as const;
        const { live, until } = following(doc.table("Orders"), query);
        await until(({ status }) => status === "live");
        equal(live.state.records[0]?.fields["Customer.City"], "Bern");
        await doc.table("Customers").update([{ id: 1, fields: { City: "Chur" } }]);
        await until(({ records }) => records[0]?.fields["Customer.City"] === "Chur");
        equal(live.state.records[0]?.fields.Item?.fields.Item, "Bell");
        live.unsubscribe();
        await doc.table("Customers").update([{ id: 1, fields: { City: "Bern" } }]);
      },
    ],
    [
      "shows a visitor what access rules show, also when they change",
      async () => {
        const json = { email: "visitor@example.com", role: "viewers", expiresIn: 600 };
        const { token } = await doc.request<{ token: string }>("POST", "tokens", { json });
        const visitor = createClient<Shop>({ url, key: token }).doc(id).table("Items");
        const { live, until, notices } = following(visitor, { fields: ["Item"] });
        await until(({ records }) => records.length === 5);
        const { retValues } = await doc.request<{ retValues: number[] }>("POST", "apply", {
          json: [
            ["AddRecord", "_grist_ACLResources", null, { tableId: "Items", colIds: "*" }],
            ["AddRecord", "_grist_ACLResources", null, { tableId: "*", colIds: "*" }],
          ],
        });
        const [ofItems = 0, ofAll = 0] = retValues;
        const rule = (resource: number, aclFormula: string, permissionsText: string) => [
          "AddRecord",
          "_grist_ACLRules",
          null,
          { resource, aclFormula, permissionsText },
        ];
        const { retValues: rules } = await doc.request<{ retValues: number[] }>("POST", "apply", {
          json: [rule(ofItems, 'user.Access != OWNER and rec.Category == "Bags"', "-R"), rule(ofAll, "", "+R")],
        });
        await until(({ records }) => records.length === 3);
        equal(notices.at(-1)?.[1], { type: "reset", reason: "rules" });
        equal(live.state.records, (await visitor.list({ fields: ["Item"] })).records);
        // A hidden record.
        await items.update([{ id: 2, fields: { Item: "Basket, large" } }]);
        await items.update([{ id: 1, fields: { Item: "Bell, loud" } }]);
        await until(({ records }) => records[0]?.fields.Item === "Bell, loud");
        if (JSON.stringify(notices).includes("large")) throw new Error("a hidden record was sent");
        await items.update([1, 2].map((at) => ({ id: at, fields: { Item: at === 1 ? "Bell" : "Basket" } })));
        await doc.request("POST", "apply", {
          json: [
            ["BulkRemoveRecord", "_grist_ACLRules", rules],
            ["BulkRemoveRecord", "_grist_ACLResources", retValues],
          ],
        });
        await until(({ records }) => records.length === 5);
        live.unsubscribe();
      },
    ],
    [
      "ends with the code of the refusal when the key is deleted",
      async () => {
        const client = createClient({ url, key });
        const json = { label: "Subscriber", scopes: ["records:read"] };
        const created = await client.request<{ id: number; key: string }>("POST", "profile/keys", {
          json,
          idempotencyKey: false,
        });
        const reader = createClient<Shop>({ url, key: created.key }).doc(id).table("Items");
        const { live, until, notices } = following(reader, {});
        await until(({ status }) => status === "live");
        const looping = (async () => {
          for await (const state of live) void state;
        })();
        const thrown = looping.catch((error: unknown) => error);
        await client.request("DELETE", `profile/keys/${created.id}`);
        await until(({ status }) => status === "closed");
        const { error } = live.state;
        equal([error?.status, error?.code, notices.at(-1)?.[0].status], [401, "auth.key_invalid", "closed"]);
        if ((await thrown) !== error) throw new Error("the loop did not throw the error");
      },
    ],
    [
      "reports wrong queries",
      async () => {
        const untyped = createClient({ url, key }).doc(id).table("Items");
        const { live, until } = following(untyped, { filter: { Nothing: [1] } });
        await until(({ status }) => status === "closed");
        equal(live.state.error?.status, 400);
        const codes: unknown[] = [];
        for (const table of ["Nothing", "Items"]) {
          const wrong = createClient({ url, key: table === "Items" ? "0".repeat(40) : key })
            .doc(id)
            .table(table);
          const refused = following(wrong, {});
          await refused.until(({ status }) => status === "closed");
          codes.push(refused.live.state.error?.code);
        }
        equal(codes, ["table.not_found", "auth.key_invalid"]);
      },
    ],
    [
      "goes on after a restart of the server",
      async () => {
        const query = { filter: { Category: ["Lights"] }, fields: ["Item"] } as const;
        const { live, until, notices, kinds } = following(items, query);
        await until(({ status }) => status === "live");
        await fetch(`${options.control}/restart`, { method: "POST" });
        await until(({ status }) => status === "live" && notices.some(([state]) => state.status === "reconnecting"));
        const [added = 0] = await items.create([{ Item: "Rear light", Category: "Lights" }]);
        await until(({ records }) => records.some((record) => record.id === added));
        equal(live.state.records, (await items.list(query)).records);
        // Resumed: the records were not sent again.
        equal(
          kinds().filter((kind) => kind !== "status"),
          ["reset", "change"],
        );
        live.unsubscribe();
        await items.delete([added]);
      },
    ],
    [
      "ends by its signal",
      async () => {
        const controller = new AbortController();
        const reason = new Error("left the page");
        const { signal } = controller;
        const { live, until, notices } = following(items, { signal });
        await until(({ status }) => status === "live");
        const thrown = (async () => {
          for await (const { records } of live) if (records.length > 0) controller.abort(reason);
        })().catch((error: unknown) => error);
        if ((await thrown) !== reason) throw new Error(String(await thrown));
        const [added = 0] = await items.create([{ Item: "Unseen" }]);
        equal([live.state.status, notices.length], ["closed", 1]);
        await items.delete([added]);
      },
    ],
    [
      "catches up after it did not read for a while",
      async () => {
        const { client, release } = stalling(options);
        const [row = 0] = await items.create([{ Item: "0" }]);
        const query = { filter: { id: [row] }, fields: ["Item"] } as const;
        const { live, until } = following(client.doc(id).table("Items"), query);
        // More than all buffers on the way.
        const rounds = 24;
        for (let round = 1; round <= rounds; round++)
          await items.update([{ id: row, fields: { Item: `${round} ${"x".repeat(900_000)}` } }]);
        await items.update([{ id: row, fields: { Item: "last" } }]);
        release();
        await until(({ records }) => records[0]?.fields.Item === "last");
        live.unsubscribe();
        await items.delete([row]);
      },
    ],
  ];
}
