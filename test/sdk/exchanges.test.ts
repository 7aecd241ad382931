import { expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { AnySchema, Client } from "../../src/sdk/index.ts";
import { json, recording, type Use } from "./recording.ts";

/** Recorded exchanges with the established server, where they are beside the checkout. */
const EXCHANGES = process.env["QUERN_TEST_EXCHANGES"] ?? "";

interface RecordedStep {
  readonly method: string;
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly rawBody?: string;
  readonly read?: string;
  readonly expected?: { readonly status: number; readonly body?: unknown };
}

function recordedSteps(): RecordedStep[] {
  const areas = ["records", "sql", "values", "rules", "access"];
  return areas.flatMap((area) =>
    readdirSync(join(EXCHANGES, area)).flatMap(
      (name) => (JSON.parse(readFileSync(join(EXCHANGES, area, name), "utf8")) as { steps: RecordedStep[] }).steps,
    ),
  );
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Returns the call of the client that the recorded request is the form of; undefined if it has none. */
function callOf(step: RecordedStep): Use | undefined {
  const { method, query = {}, body } = step;
  const [, doc = "", id = "", end = ""] =
    /^\/api\/docs\/([^/?]+)\/(?:tables\/([^/?]+)\/records(\/delete|\/list)?|sql)$/.exec(step.path) ?? [];
  if (doc === "" || step.rawBody !== undefined || step.read !== undefined) return undefined;
  const on = (client: Client<AnySchema>) => client.doc(doc).table(id);
  const form = `${method} ${id === "" ? "sql" : end}`;
  const only = (...names: string[]) => Object.keys(query).every((name) => names.includes(name));
  const flag = (name: string) => query[name] === "true";
  const records =
    isObject(body) && Object.keys(body).join() === "records" && Array.isArray(body["records"])
      ? (body["records"] as unknown[])
      : null;
  const all = (...names: string[]) =>
    records?.every((one) => isObject(one) && Object.keys(one).toSorted().join() === names.join()) ?? false;
  switch (form) {
    case "GET ": {
      const { filter, sort, limit, hidden, ...others } = query;
      if (Object.keys(others).length > 0 || (hidden !== undefined && hidden !== "true")) return undefined;
      if (limit !== undefined && !/^[1-9]\d*$/.test(limit)) return undefined;
      const parsed = filter === undefined ? undefined : parseFilter(filter);
      if (parsed === null) return undefined;
      return (client) =>
        on(client).list({
          ...(parsed && { filter: parsed }),
          ...(sort !== undefined && { sort }),
          ...(limit !== undefined && { limit: Number(limit) }),
          ...(hidden !== undefined && { hidden: true }),
        });
    }
    case "POST ":
      if (!all("fields") || !only("noparse")) return undefined;
      return (client) =>
        on(client).create(
          (records as { fields: never }[]).map(({ fields }) => fields),
          { noparse: flag("noparse") },
        );
    case "PATCH ":
      if (!all("fields", "id") || !only("noparse")) return undefined;
      return (client) => on(client).update(records as never, { noparse: flag("noparse") });
    case "PUT ": {
      if (!all("fields", "require") || !only("onmany", "noadd", "noupdate", "allow_empty_require", "noparse"))
        return undefined;
      const { onmany } = query;
      const flags = Object.fromEntries(
        Object.entries(query)
          .filter(([name]) => name !== "onmany")
          .map(([name]) => [name, flag(name)]),
      );
      return (client) =>
        on(client).upsert(records as never, { ...flags, ...(onmany !== undefined && { onmany: onmany as never }) });
    }
    case "POST /delete":
      if (!Array.isArray(body) || !only()) return undefined;
      return (client) => on(client).delete(body as number[]);
    case "POST sql": {
      if (
        !isObject(body) ||
        !only() ||
        typeof body["sql"] !== "string" ||
        !Array.isArray(body["args"]) ||
        "timeout" in body
      )
        return undefined;
      const parts = body["sql"].split("?");
      if (parts.length !== body["args"].length + 1) return undefined;
      return (client) => client.doc(doc).sql(parts as never, ...(body["args"] as never[]));
    }
    default:
      return undefined;
  }
}

/** Returns null for a filter in another form than the client's. */
function parseFilter(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) && JSON.stringify(value) === text ? value : null;
  } catch {
    return null;
  }
}

if (!existsSync(EXCHANGES))
  console.log(
    "No recorded exchanges: skipping their comparison with the client. QUERN_TEST_EXCHANGES names their folder.",
  );

test.skipIf(!existsSync(EXCHANGES))("requests and answers are those of recorded exchanges", async () => {
  const counts: Record<string, number> = {};
  for (const step of recordedSteps()) {
    const use = callOf(step);
    const { expected } = step;
    if (!use || !expected) continue;
    const { client, sent } = recording([json(expected.body ?? null, expected.status)], { key: "k", retries: 0 });
    const answer = await use(client).catch((error: unknown) => error);
    const [request] = sent;
    const { method, query = {}, body } = step;
    expect({ method: request?.method, query: withoutFalse(request?.query ?? {}), body: request?.body }).toEqual({
      method,
      query: withoutFalse(query),
      body,
    });
    expect(decodeURIComponent(request?.path ?? "")).toBe(step.path);
    if (expected.status >= 400) expect(answer).toMatchObject({ name: "QuernError", status: expected.status });
    else expect(answer).toEqual(resultOf(step));
    counts[`${method}${expected.status < 400 ? "" : " refused"}`] =
      (counts[`${method}${expected.status < 400 ? "" : " refused"}`] ?? 0) + 1;
  }
  console.log(`Recorded exchanges of the client's calls: ${JSON.stringify(counts)}`);
  for (const kind of ["GET", "POST", "PATCH", "PUT", "GET refused", "POST refused", "PATCH refused", "PUT refused"])
    expect(counts[kind] ?? 0).toBeGreaterThan(3);
});

/** Flags that are false are left out: that is their default. */
const withoutFalse = (query: Readonly<Record<string, string>>) =>
  Object.fromEntries(
    Object.entries(query).filter(
      ([name, value]) =>
        name === "filter" || name === "sort" || value === "true" || !/^(no|off|false|0|YES|ON)$/i.test(value),
    ),
  );

/** Returns what the client makes of the recorded answer. */
function resultOf({ method, path, expected }: RecordedStep): unknown {
  const body = expected?.body;
  if (method === "POST" && path.endsWith("/records"))
    return (body as { records: { id: number }[] }).records.map(({ id }) => id);
  if (path.endsWith("/sql")) return (body as { records: { fields: unknown }[] }).records.map(({ fields }) => fields);
  return body ?? null;
}
