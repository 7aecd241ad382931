/** Deliveries of a server that is killed again and again, to a receiver that fails one time in three. */
import { afterEach, expect, test } from "bun:test";
import { sampleDocument, testApp } from "../helpers/app.ts";
import { PROGRAM_COMMAND } from "../helpers/run-quern.ts";
import { WebhookReceiver, type ReceivedRequest } from "../helpers/webhook-receiver.ts";

/** Number of records changed per request. */
const RECORDS = 20;
/** `QUERN_TEST_EVENTS=10000` for the full size. */
const EVENTS = Number(process.env["QUERN_TEST_EVENTS"] ?? 800);
const VERSIONS = Math.ceil(EVENTS / RECORDS);
const KILLS = 5;

const children: Bun.Subprocess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
});

async function serve(folder: string, allow: string) {
  const words = [...PROGRAM_COMMAND, "serve", "--data", folder, "--port", "0", "--log-level", "error"];
  const settings = ["--webhook-allow", allow, "--webhook-retry-ms", "10", "--durability", "normal"];
  const child = Bun.spawn([...words, ...settings], { stdout: "pipe", stderr: "inherit", stdin: "ignore" });
  children.push(child);
  const { value } = await child.stdout.getReader().read();
  const address = /^Listening on (http:\S+)\n$/.exec(new TextDecoder().decode(value))?.[1] ?? "";
  const kill = async () => {
    child.kill("SIGKILL");
    await child.exited;
  };
  return { address, kill };
}

test(`${VERSIONS * RECORDS} events arrive although the server is killed ${KILLS} times, each record's in order, without invented ones`, async () => {
  using receiver = new WebhookReceiver();
  await using app = await testApp({ flags: { "webhook-allow": receiver.host } });
  const { doc } = await sampleDocument(app);
  const path = `/api/docs/${doc}`;
  const columns = [{ id: "Version", fields: { type: "Int" } }];
  await app.must("POST", `${path}/tables`, { tables: [{ id: "Things", columns }] });
  await app.must("POST", `${path}/tables/Things/records`, {
    records: Array.from({ length: RECORDS }, () => ({ fields: { Version: 0 } })),
  });
  const fields = { url: receiver.url, tableId: "Things", eventTypes: ["update"] };
  await app.must("POST", `${path}/webhooks`, { webhooks: [{ fields }] });
  await app.app.close();

  // One in three fails, by the middle bits of a fixed sequence.
  let seed = 12_345;
  const total = VERSIONS * RECORDS;
  const distinct = new Set<string>();
  const complete = Promise.withResolvers<void>();
  const accepted: ReceivedRequest[] = [];
  const answers: { id: string; status: number }[] = [];
  const answer = (one: ReceivedRequest): Response => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
    const status = (seed >>> 16) % 3 === 0 ? 500 : 200;
    if (status === 200) {
      accepted.push(one);
      for (const { id, Version } of one.rows) distinct.add(JSON.stringify([id, Version]));
      if (distinct.size >= total) complete.resolve();
    }
    answers.push({ id: one.headers.get("webhook-id") ?? "", status });
    receiver.replies.push(answer);
    return new Response("", { status });
  };
  receiver.replies.push(answer);

  let server = await serve(app.folder, receiver.host);
  const headers = { Authorization: `Bearer ${app.keys.owner}`, "Content-Type": "application/json" };
  const url = (rest: string) => `${server.address}/o/team${path}${rest}`;
  const write = (version: number): Promise<Response> => {
    const records = Array.from({ length: RECORDS }, (_, r) => ({ id: r + 1, fields: { Version: version } }));
    return fetch(url("/tables/Things/records"), { method: "PATCH", headers, body: JSON.stringify({ records }) });
  };
  // oxlint-disable-next-line typescript/no-explicit-any -- looked into freely
  const read = async (rest: string): Promise<any> => (await fetch(url(rest), { headers })).json();

  for (let version = 1; version <= VERSIONS; version++) {
    const isKilled = version % Math.floor(VERSIONS / (KILLS + 1)) === 0 && version < VERSIONS;
    const written = write(version).then(
      ({ status }) => status === 200,
      () => false,
    );
    if (!isKilled) expect(await written).toBe(true);
    else {
      // Kill before the change, after it, or during a delivery.
      await Promise.race([written, receiver.until((all) => all.length > answers.length - (version % 2))]);
      await server.kill();
      answers.length = 0;
      server = await serve(app.folder, receiver.host);
      const { records } = await read("/tables/Things/records");
      const [{ fields: cells }] = records;
      if (cells.Version !== version) expect((await write(version)).status).toBe(200);
    }
  }
  await complete.promise;
  let usage = (await read("/webhooks")).webhooks[0].usage;
  while (usage.numWaiting > 0) usage = (await read("/webhooks")).webhooks[0].usage;

  expect(distinct.size).toBe(total);
  for (let id = 1; id <= RECORDS; id++) {
    const versions = accepted.flatMap(({ rows }) => rows.filter((row) => row.id === id).map((row) => row.Version));
    const firsts = versions.filter((version, at) => versions.indexOf(version) === at);
    expect(firsts).toEqual(Array.from({ length: VERSIONS }, (_, v) => v + 1));
  }
  expect(usage).toMatchObject({ status: "idle", lastHttpStatus: 200, lastEventBatch: { status: "success" } });
  expect(usage.numDropped).toBeUndefined();
  const [{ id: hook }] = (await read("/webhooks")).webhooks;
  const { deliveries } = await read(`/webhooks/${hook}/deliveries`);
  const told = deliveries.map((one: { messageId: string; httpStatus: number }) => `${one.messageId} ${one.httpStatus}`);
  const counted = answers.map(({ id, status }) => `${id} ${status}`).toReversed();
  const count = Math.min(told.length, counted.length);
  expect(told.slice(0, count)).toEqual(counted.slice(0, count));
  await server.kill();
}, 600_000);
