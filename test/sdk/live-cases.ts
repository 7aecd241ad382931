/** Uses of subscriptions as statements of an async function, correct and wrong ones. Each cell is filled. */
export const LIVE_CASES: readonly (readonly [feature: string, correct: string, wrong: string])[] = [
  [
    "all columns of a subscription",
    `orders.subscribe({}, ({ records }) => is<number | null | undefined>(records[0]?.fields.Amount));`,
    `orders.subscribe({}, ({ records }) => records[0]?.fields.Amuont);`,
  ],
  [
    "a projection of a subscription",
    `orders.subscribe({ fields: ["Amount"] }, ({ records }) => records[0]?.fields.Amount);`,
    `orders.subscribe({ fields: ["Amount"] }, ({ records }) => records[0]?.fields.Price);`,
  ],
  [
    "names in a subscription",
    `orders.subscribe({ fields: ["Amount", "Customer.City"] });`,
    `orders.subscribe({ fields: ["Customer.Town"] });`,
  ],
  [
    "a path in a subscription",
    `orders.subscribe({ fields: ["Customer.City"] }, ({ records }) => is<string | null | undefined>(records[0]?.fields["Customer.City"]));`,
    `orders.subscribe({ fields: ["Customer.City"] }, ({ records }) => is<number | null | undefined>(records[0]?.fields["Customer.City"]));`,
  ],
  [
    "an expanded reference in a subscription",
    `orders.subscribe({ expand: ["Customer"] }, ({ records }) => is<string | null | undefined>(records[0]?.fields.Customer?.fields.City));`,
    `orders.subscribe({ expand: ["Amount"] });`,
  ],
  [
    "dates as texts in a subscription",
    `orders.subscribe({ cellFormat: "iso" }, ({ records }) => is<string | null | undefined>(records[0]?.fields.Ordered));`,
    `orders.subscribe({ cellFormat: "iso" }, ({ records }) => is<number | null | undefined>(records[0]?.fields.Ordered));`,
  ],
  [
    "a filter of a subscription",
    `orders.subscribe({ filter: { Status: ["open"] } });`,
    `orders.subscribe({ filter: { Status: ["opened"] } });`,
  ],
  [
    "the options of a subscription",
    `orders.subscribe({ hidden: true, signal });`,
    `orders.subscribe({ sort: "Amount" });`,
  ],
  ["no limit of a subscription", `orders.subscribe();`, `orders.subscribe({ limit: 10 });`],
  ["no past of a subscription", `orders.subscribe({});`, `orders.subscribe({ at: 7 });`],
  [
    "changes of a subscription",
    `orders.subscribe({}, (_, change) => { if (change.type === "change") is<readonly number[]>(change.removed); });`,
    `orders.subscribe({}, (_, change) => { is<readonly number[]>(change.removed); });`,
  ],
  [
    "added records of a subscription",
    `orders.subscribe({ fields: ["Paid"] }, (_, change) => { if (change.type === "change") is<boolean | null | undefined>(change.added[0]?.fields.Paid); });`,
    `orders.subscribe({ fields: ["Paid"] }, (_, change) => { if (change.type === "change") change.added[0]?.fields.Amount; });`,
  ],
  [
    "the kinds of changes",
    `orders.subscribe({}, (_, change) => change.type === "reset" && is<string>(change.reason));`,
    `orders.subscribe({}, (_, change) => change.type === "replaced");`,
  ],
  [
    "the status of a subscription",
    `orders.subscribe({}, ({ status }) => status === "reconnecting");`,
    `orders.subscribe({}, ({ status }) => status === "open");`,
  ],
  [
    "the error of a subscription",
    `orders.subscribe({}, ({ error }) => is<ErrorCode | undefined>(error?.code));`,
    `orders.subscribe({}, ({ error }) => error.code);`,
  ],
  [
    "the code of a subscription's error",
    `orders.subscribe({}, ({ error }) => error?.code === "access.view_denied");`,
    `orders.subscribe({}, ({ error }) => error?.code === "access.view_refused");`,
  ],
  [
    "records that only the server changes",
    `orders.subscribe({}, ({ records }) => is<number | undefined>(records.toSorted((a, b) => b.id - a.id)[0]?.id));`,
    `orders.subscribe({}, ({ records }) => records.pop());`,
  ],
  ["the end of a subscription", `orders.subscribe().unsubscribe();`, `orders.subscribe().close();`],
  [
    "the present state of a subscription",
    `is<number>(orders.subscribe({}).state.records.length);`,
    `orders.subscribe({}).state = { records: [], status: "live" };`,
  ],
  [
    "a loop over a subscription",
    `for await (const { records } of orders.subscribe({ fields: ["Amount"] })) is<number | null | undefined>(records[0]?.fields.Amount);`,
    `for await (const { records } of orders.subscribe({ fields: ["Amount"] })) records[0]?.fields.Price;`,
  ],
  [
    "a subscription to another table",
    `doc.table("Customers").subscribe({ fields: ["City"] });`,
    `doc.table("Customers").subscribe({ fields: ["Amount"] });`,
  ],
  [
    "a function for the states of a subscription",
    `const show = (state: LiveState<{ Amount: number | null }>) => state.records.length; orders.subscribe({ fields: ["Amount"] }, show);`,
    `const show = (state: LiveState<{ Price: number | null }>) => state.records.length; orders.subscribe({ fields: ["Amount"] }, show);`,
  ],
  [
    "a subscription without declarations",
    `untyped.subscribe({ filter: { A: [1] }, fields: ["A"] }, ({ records }) => records[0]?.fields["A"]);`,
    `untyped.subscribe({ fields: [1] });`,
  ],
];
