/** Tests of many answers at once: the queue, its limits, and answers that are sent again. */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { AppError } from "../../src/errors.ts";
import { systemClock } from "../../src/lib/time/clock.ts";
import { systemTimers } from "../../src/lib/time/timers.ts";
import { AnswerLimits } from "../../src/services/forms/answer-limits.ts";
import { openLink, submitAnswer } from "../../src/services/forms/forms.ts";
import { testApp, type TestApp } from "../helpers/app.ts";
import { columnRefs, formScene, type Scene } from "./scene.ts";

let server: TestApp;
let scene: Scene;
beforeAll(async () => {
  // Requests of tests come from the loopback address; each visitor has an address of their own.
  server = await testApp({ flags: { "trusted-proxies": "0.0.0.0/0,::/0", "max-requests": "0", "max-parallel": "0" } });
});
beforeEach(async () => {
  scene = await formScene(server);
  server.app.ctx.answerLimits.forget();
});
afterAll(() => server[Symbol.asyncDispose]());

const answer = (name: string, headers: Record<string, string> = {}) =>
  server.call(
    "anon",
    "POST",
    `/api/s/${scene.key}/tables/Signup/records`,
    { records: [{ fields: { Name: name } }] },
    { headers },
  );

async function names(): Promise<string[]> {
  const { records } = await server.must<{ records: { fields: { Name: string } }[] }>(
    "GET",
    `/api/docs/${scene.doc}/tables/Signup/records`,
  );
  return records.map(({ fields }) => fields.Name);
}

const addressOf = (i: number) => `10.0.${Math.floor(i / 250)}.${(i % 250) + 1}`;

test("of 1,000 answers at once, each is stored exactly once or refused, and refused ones are stored when sent again", async () => {
  const send = async (i: number) => {
    const headers = { "X-Forwarded-For": addressOf(i), "Idempotency-Key": `visitor-${i}` };
    const { status, headers: received } = await answer(`visitor ${i}`, headers);
    if (status !== 200) expect([429, 503]).toContain(status);
    if (status !== 200) expect(Number(received.get("retry-after"))).toBeGreaterThan(0);
    return status;
  };
  const visitors = Array.from({ length: 1000 }, (_, i) => i);
  const statuses = await Promise.all(visitors.map((i) => send(i)));
  const accepted = visitors.filter((i) => statuses[i] === 200);
  expect(accepted.length).toBeGreaterThan(100);
  expect(accepted.length).toBeLessThan(1000);
  expect((await names()).toSorted()).toEqual(accepted.map((i) => `visitor ${i}`).toSorted());
  let waiting = visitors.filter((i) => statuses[i] !== 200);
  while (waiting.length > 0) {
    const again = await Promise.all(waiting.map(async (i) => [i, await send(i)] as const));
    waiting = again.filter(([, status]) => status !== 200).map(([i]) => i);
  }
  // Answers that were accepted are sent again, too.
  expect(await Promise.all(accepted.slice(0, 50).map((i) => send(i)))).toEqual(Array(50).fill(200));
  expect((await names()).toSorted()).toEqual(visitors.map((i) => `visitor ${i}`).toSorted());
});

test("an address has a limit of its own; other addresses and other routes are not affected", async () => {
  const send = () => answer("x", { "X-Forwarded-For": "192.0.2.1" });
  let accepted = 0;
  let limited = await send();
  // While answers are sent, further ones are allowed.
  for (; limited.status === 200 && accepted < 2000; limited = await send()) accepted++;
  expect(accepted).toBeGreaterThanOrEqual(120);
  expect([limited.status, limited.body.details.code]).toEqual([429, "limit.form_answers"]);
  expect(JSON.stringify(limited.body)).not.toContain("192.0.2.1");
  expect((await answer("z", { "X-Forwarded-For": "192.0.2.2" })).status).toBe(200);
  const form = await server.call("anon", "GET", `/api/s/${scene.key}/forms/${scene.section}`);
  expect(form.status).toBe(200);
});

test("the queue of a document is bounded in number and time; other documents have their own", async () => {
  const limits = new AnswerLimits({
    clock: systemClock,
    timers: systemTimers,
    limits: { maxConcurrent: 1, maxWaiting: 2, maxWaitingInAll: 3, maxWaitMs: 50 },
  });
  const release = Promise.withResolvers<void>();
  const order: number[] = [];
  const run = (uuid: string, i: number) =>
    limits
      .run(uuid, async () => {
        order.push(i);
        if (i === 0) await release.promise;
        return "done";
      })
      .catch((error: unknown) => (error as AppError).reason);
  const results = [0, 1, 2, 3].map((i) => run("a", i));
  expect(await results[3]).toBe("form.busy");
  expect(await run("b", 4)).toBe("done");
  expect(await Promise.all([results[1], results[2]])).toEqual(["form.busy", "form.busy"]);
  release.resolve();
  expect(await results[0]).toBe("done");
  expect(await run("a", 5)).toBe("done");
  expect(order).toEqual([0, 4, 5]);
  expect(limits.counts.limited).toBe(3);
});

test("waiting answers are stored in their order", async () => {
  const limits = new AnswerLimits({ clock: systemClock, timers: systemTimers, limits: { maxConcurrent: 1 } });
  const order: number[] = [];
  await Promise.all([0, 1, 2, 3, 4].map((i) => limits.run("a", async () => void order.push(i))));
  expect(order).toEqual([0, 1, 2, 3, 4]);
});

test("an answer of the page with files is stored once, however often it is sent", async () => {
  const refs = await columnRefs(server, scene.doc);
  await server.must("POST", `/api/docs/${scene.doc}/tables/Signup/columns`, {
    columns: [{ id: "Files", fields: { type: "Attachments" } }],
  });
  const colRef = (await columnRefs(server, scene.doc))["Signup.Files"];
  expect(refs["Signup.Files"]).toBeUndefined();
  await scene.apply(["AddRecord", "_grist_Views_section_field", null, { parentId: scene.section, colRef }]);
  const { ctx } = server.app;
  const submit = (fields: object, token: string, content = "hello") =>
    submitAnswer(ctx, openLink(ctx, scene.key), {
      section: scene.section,
      fields: fields as Record<string, unknown>,
      files: { Files: [new File([content], "a.txt"), new File(["more"], "b.txt")] },
      fileLimits: { maxBytes: 1_000_000, maxFileBytes: 1_000_000, maxFiles: 2 },
      token,
      caller: { address: "192.0.2.7", user: null },
    });
  const twice = await Promise.all([submit({ Name: "Ann" }, "t"), submit({ Name: "Ann" }, "t")]);
  const again = await submit({ Name: "Ann" }, "t");
  expect([...twice, again].map(({ rowId }) => rowId)).toEqual([1, 1, 1]);
  expect((await submit({ Name: "Ann" }, "t", "another file")).rowId).not.toBe(1);
  expect(await names()).toEqual(["Ann", "Ann"]);
  // Nothing is uploaded for an answer that is refused.
  const count = async () =>
    (await server.must<{ records: unknown[] }>("GET", `/api/docs/${scene.doc}/attachments`)).records.length;
  const before = await count();
  // Not with `rejects`, which blocks the messages of threads.
  const refusal = (fields: object): Promise<unknown> =>
    submit(fields, "u").then(
      () => null,
      (error: unknown) => error,
    );
  expect(await refusal({ Age: "x" })).toMatchObject({ reason: "form.fields_invalid" });
  expect(await refusal({ Size: "XXL" })).toBeInstanceOf(AppError);
  expect(await count()).toBe(before);
});
