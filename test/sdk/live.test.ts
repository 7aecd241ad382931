/** Subscriptions: the states that follow from a stream's events, and when the client connects again. */
import { describe, expect, test } from "bun:test";
import { createClient, type LiveChange, type LiveState, QuernError } from "../../src/sdk/index.ts";
import { serverEvents } from "../../src/sdk/server-events.ts";
import { expectPoll } from "../helpers/expect-poll.ts";

type Fields = Record<string, unknown>;
type Event = readonly [event: string, id: string, data: unknown];
/** A connection: the events of a stream, which stays open (`open`) or ends, or a refusal. */
type Connection =
  | { readonly events: readonly Event[]; readonly open?: true }
  | { readonly refusal: () => Response }
  | "lost";

const record = (id: number, value: unknown = id) => ({ id, fields: { A: value } });
const reset = (id: string, ...records: object[]): Event => ["reset", id, { reason: "start", records }];
const change = (id: string, data: { added?: object[]; updated?: object[]; removed?: number[] }): Event => [
  "change",
  id,
  { added: [], updated: [], removed: [], ...data },
];
const refusal = (status: number, code: string, headers: Record<string, string> = {}) => ({
  refusal: () => new Response(JSON.stringify({ error: code, details: { code } }), { status, headers }),
});

/** How many bytes of a stream arrive at once. */
const PIECES: Readonly<Record<string, number>> = { "at once": Infinity, "7 bytes at a time": 7, "byte by byte": 1 };

function piecesOf(text: string, size: number): Uint8Array[] {
  const bytes = new TextEncoder().encode(text);
  const count = Math.ceil(bytes.length / Math.min(size, bytes.length));
  return Array.from({ length: count }, (_, at) => bytes.subarray(at * size || 0, (at + 1) * size));
}

const textOf = (events: readonly Event[]): string =>
  `:\n\n${events.map(([event, id, data]) => [`id: ${id}`, ...(event === "" ? [] : [`event: ${event}`, `data: ${JSON.stringify(data)}`]), "\n"].join("\n")).join(":\n\n")}`;

/** Subscribes to a server with these connections, one after the other; the last one is repeated. */
function subscribing(
  connections: readonly Connection[],
  { pieceBytes = Infinity, signal = undefined as AbortSignal | undefined } = {},
) {
  const requests: URL[] = [];
  const cancelled: number[] = [];
  const client = createClient({
    url: "https://quern.test",
    retries: 2,
    fetch: async (address, init) => {
      const at = requests.push(new URL(address)) - 1;
      const connection = connections[Math.min(at, connections.length - 1)] ?? "lost";
      if (connection === "lost") throw new TypeError("no connection");
      if ("refusal" in connection) return connection.refusal();
      const stream = new ReadableStream<Uint8Array>({
        start(controller) {
          for (const piece of piecesOf(textOf(connection.events), pieceBytes)) controller.enqueue(piece);
          if (!connection.open) controller.close();
          init.signal?.addEventListener("abort", () => {
            cancelled.push(at);
            if (connection.open) controller.error(init.signal?.reason);
          });
        },
        cancel: () => void cancelled.push(at),
      });
      return new Response(stream);
    },
  });
  const seen: [state: LiveState<Fields>, change: LiveChange<Fields>][] = [];
  const live = client
    .doc("d")
    .table("T")
    .subscribe({ filter: { A: [1] }, fields: ["A"], signal }, (state, difference) => {
      seen.push([state, difference]);
    });
  const statuses = () => seen.map(([{ status }]) => status);
  const changes = () => seen.filter(([, { type }]) => type !== "status");
  return { live, requests, cancelled, seen, statuses, changes };
}

describe("a stream results in these records", () => {
  const rows: readonly (readonly [
    name: string,
    events: readonly Event[],
    records: readonly object[],
    last: Partial<LiveChange<Fields>>,
  ])[] = [
    ["none", [reset("1")], [], { type: "reset", reason: "start" }],
    ["the first ones, by their ids", [reset("1", record(3), record(1))], [record(1), record(3)], { type: "reset" }],
    [
      "an added one in its place",
      [reset("1", record(1), record(3)), change("2", { added: [record(2)] })],
      [record(1), record(2), record(3)],
      { type: "change", added: [record(2)], updated: [], removed: [] },
    ],
    [
      "an updated one",
      [reset("1", record(1), record(2)), change("2", { updated: [record(2, "new")] })],
      [record(1), record(2, "new")],
      { added: [], updated: [record(2, "new")], removed: [] },
    ],
    [
      "without a removed one; unknown ids are ignored",
      [reset("1", record(1), record(2)), change("2", { removed: [1, 7] })],
      [record(2)],
      { added: [], updated: [], removed: [1] },
    ],
    [
      "the same if a change is repeated",
      [reset("1"), change("2", { added: [record(1)] }), change("2", { added: [record(1)], removed: [5] })],
      [record(1)],
      { added: [], updated: [record(1)], removed: [] },
    ],
    [
      "an updated one that is new here",
      [reset("1"), change("2", { updated: [record(4)] })],
      [record(4)],
      { added: [record(4)], updated: [] },
    ],
    [
      "others after a reset",
      [reset("1", record(1)), ["reset", "2", { reason: "rules", records: [record(2)] }]],
      [record(2)],
      { type: "reset", reason: "rules" },
    ],
    [
      "texts with line ends and letters of several bytes",
      [reset("1", record(1, "a\nb: c\r\n\n“ü” 😀"))],
      [record(1, "a\nb: c\r\n\n“ü” 😀")],
      { type: "reset" },
    ],
    [
      "the same after an event of another kind",
      [reset("1", record(1)), ["later", "2", { records: [] }]],
      [record(1)],
      { type: "reset" },
    ],
  ];
  const cases = rows.flatMap((row) => Object.keys(PIECES).map((pieces) => [row[0], pieces, row] as const));
  test.each(cases)("%s (%s)", async (_, pieces, [, events, records, last]) => {
    const { live, changes, seen } = subscribing([{ events: [...events, ["current", "9", {}]], open: true }], {
      pieceBytes: PIECES[pieces] ?? Infinity,
    });
    const expected = events.filter(([event]) => event !== "later").length;
    await expectPoll(() => changes().length).toBe(expected);
    expect(live.state).toEqual({ records: records as never, status: "live" });
    expect(changes().at(-1)?.[1]).toMatchObject(last);
    expect(seen.at(-1)?.[0]).toBe(live.state);
    live.unsubscribe();
  });
});

test("an id without an event is the state to resume from", async () => {
  const events = [reset("t1", record(1)), ["", "t2", {}]] as const;
  const { live, requests } = subscribing([{ events }, { events: [["current", "t2", {}]], open: true }]);
  await expectPoll(() => requests.length).toBe(2);
  expect(requests[1]?.searchParams.get("after")).toBe("t2");
  live.unsubscribe();
});

test("records that did not change are the same objects in the next state", async () => {
  const events = [reset("1", record(1), record(2)), change("2", { updated: [record(2, 3)] })];
  const { live, changes } = subscribing([{ events, open: true }]);
  await expectPoll(() => changes().length).toBe(2);
  const [first, second] = changes().map(([{ records }]) => records);
  expect(first).not.toBe(second);
  expect(second?.[0]).toBe(first?.[0] as never);
  expect(second?.[1]).not.toBe(first?.[1] as never);
  live.unsubscribe();
});

test("a connection that is silent for too long ends, one that is kept alive does not", async () => {
  const encoder = new TextEncoder();
  let isCancelled = false;
  let beats = 0;
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    async pull(controller) {
      // Silent after five beats, which together take longer than the limit.
      if (beats === 5) return new Promise<void>(() => {});
      await Bun.sleep(100);
      controller.enqueue(encoder.encode(`id: ${++beats}\n\n`));
    },
    cancel: () => void (isCancelled = true),
  });
  const events = await Array.fromAsync(serverEvents(body, 400));
  expect(events.map(({ id }) => id)).toEqual(["1", "2", "3", "4", "5"]);
  expect(isCancelled).toBe(true);
});

describe("the client connects again", () => {
  const first = { events: [reset("t1", record(1))] };
  test.each<[name: string, connections: readonly Connection[]]>([
    ["after the end of the connection", [first]],
    ["after the server stopped", [{ events: [...first.events, ["closed", "", { reason: "stopping" }]] }]],
    ["after more failures than a read is repeated", [first, "lost", "lost", "lost", "lost"]],
    ["after a busy server", [first, refusal(503, "overloaded"), refusal(429, "limit.streams"), refusal(502, "x")]],
    ["after a failing server", [first, refusal(500, "internal")]],
  ])(
    "%s, from its last state",
    async (_, connections) => {
      const { live, requests, statuses } = subscribing([
        ...connections,
        { events: [change("t2", { added: [record(2)] })], open: true },
      ]);
      await expectPoll(() => live.state.records.length).toBe(2);
      expect(statuses()).toEqual(["live", "reconnecting", "live"]);
      expect(requests.map(({ searchParams }) => searchParams.get("after"))).toEqual([
        null,
        ...connections.map(() => "t1"),
      ]);
      expect(requests[0]?.pathname).toBe("/api/docs/d/tables/T/records/live");
      expect(requests[0]?.searchParams.get("filter")).toBe('{"A":[1]}');
      expect(requests[0]?.searchParams.get("fields")).toBe("A");
      live.unsubscribe();
    },
    30_000,
  );

  test("and shows that nothing changed meanwhile", async () => {
    const { live, seen } = subscribing([first, { events: [["current", "t1", {}]], open: true }]);
    await expectPoll(() => seen.length).toBe(3);
    expect(seen.map(([{ status }, { type }]) => [status, type])).toEqual([
      ["live", "reset"],
      ["reconnecting", "status"],
      ["live", "status"],
    ]);
    expect(seen[2]?.[0].records).toBe(seen[0]?.[0].records as never);
    live.unsubscribe();
  });
});

describe("the subscription is closed with the error", () => {
  const first = { events: [reset("t1", record(1))] };
  test.each<
    [name: string, connections: readonly Connection[], status: number, code: string | undefined, seen: string[]]
  >([
    ["of a refusal", [refusal(400, "filter.operator")], 400, "filter.operator", ["closed"]],
    ["of a bug in the server", [refusal(500, "internal")], 500, "internal", ["closed"]],
    ["of a server that cannot be reached", ["lost"], 0, undefined, ["closed"]],
    ["of a server that stays busy", [refusal(503, "overloaded")], 503, "overloaded", ["closed"]],
    [
      "of the loss of access",
      [{ events: [...first.events, ["closed", "", { reason: "access" }]] }, refusal(403, "access.view_denied")],
      403,
      "access.view_denied",
      ["live", "reconnecting", "closed"],
    ],
    [
      "of the loss of the key",
      [{ events: [...first.events, ["closed", "", { reason: "signedOut" }]] }, refusal(401, "auth.key_invalid")],
      401,
      "auth.key_invalid",
      ["live", "reconnecting", "closed"],
    ],
  ])("%s", async (_, connections, status, code, expected) => {
    const { live, statuses, requests } = subscribing(connections);
    await expectPoll(() => live.state.status).toBe("closed");
    expect(live.state.error).toBeInstanceOf(QuernError);
    expect(live.state.error).toMatchObject({ status, code });
    expect(statuses()).toEqual(expected as never);
    const sent = requests.length;
    const thrown = await Array.fromAsync(live).catch((error: unknown) => error);
    expect(thrown).toBe(live.state.error);
    expect(requests).toHaveLength(sent);
  });
});

describe("the subscription ends", () => {
  const open = { events: [reset("1", record(1))], open: true } as const;

  test("by unsubscribe, which also ends the request, without another call", async () => {
    const { live, seen, cancelled } = subscribing([open]);
    await expectPoll(() => seen.length).toBe(1);
    const { unsubscribe } = live;
    unsubscribe();
    unsubscribe();
    expect(live.state).toEqual({ records: [record(1)] as never, status: "closed" });
    await expectPoll(() => cancelled.length).toBeGreaterThan(0);
    expect(seen).toHaveLength(1);
    expect(await Array.fromAsync(live)).toEqual([]);
  });

  test("by its signal, whose reason a loop throws", async () => {
    const controller = new AbortController();
    const reason = new Error("left the page");
    const { live, seen, requests } = subscribing([open], { signal: controller.signal });
    const thrown = Array.fromAsync(live).catch((error: unknown) => error);
    await expectPoll(() => seen.length).toBe(1);
    controller.abort(reason);
    expect(await thrown).toBe(reason);
    expect([live.state.status, live.state.error, seen.length, requests.length]).toEqual(["closed", undefined, 1, 1]);
  });

  test("before a request, by a signal that has ended", () => {
    const { live, requests, seen } = subscribing([open], { signal: AbortSignal.abort() });
    expect([live.state.status, requests.length, seen.length]).toEqual(["closed", 0, 0]);
  });

  test("by leaving a loop, which gets the latest state", async () => {
    const events = [reset("1", record(1)), change("2", { added: [record(2)] }), change("3", { added: [record(3)] })];
    const { live, cancelled } = subscribing([{ events, open: true }]);
    const lengths: number[] = [];
    for await (const { records } of live) {
      lengths.push(records.length);
      // A slow loop: all events have arrived before its next turn.
      await expectPoll(() => live.state.records.length).toBe(3);
      if (records.length === 3) break;
    }
    expect(lengths.at(-1)).toBe(3);
    expect(lengths.length).toBeLessThanOrEqual(3);
    expect(live.state.status).toBe("closed");
    await expectPoll(() => cancelled.length).toBeGreaterThan(0);
  });
});
