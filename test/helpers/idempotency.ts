import type { Caller, CallOptions, Reply, TestApp } from "./app.ts";
import { createSharedFixture, type DocumentFixture } from "./request-steps.ts";

/** The header of a request that may be repeated, with others. */
export const withKey = (key: string, { headers, ...options }: CallOptions = {}): CallOptions => ({
  ...options,
  headers: { ...headers, "Idempotency-Key": key },
});

/** True for an answer that was kept. */
export const isReplay = ({ headers }: { readonly headers: Headers }): boolean =>
  headers.get("idempotency-replayed") === "true";

let keys = 0;
/** Returns a key that was not used before. */
export const newKey = (): string => `key-${++keys}`;

export interface Target extends DocumentFixture {
  readonly table: string;
}

/** Creates a document with two rows that the editor may change. */
export async function createTarget(server: TestApp): Promise<Target> {
  const place = await createSharedFixture(server);
  const table = `${place.doc}/tables/Table1`;
  await server.must("POST", `${table}/records`, { records: [{ fields: { A: "one" } }, { fields: { A: "two" } }] });
  return { ...place, table };
}

/** A request to a document or to what is around it. */
export interface Sent {
  readonly method?: string;
  readonly path: (at: Target) => string;
  readonly body?: (at: Target) => unknown;
  readonly options?: () => CallOptions;
  readonly status?: number;
}

interface SendOptions {
  readonly key: string;
  readonly as?: Caller;
}

/** Sends a request with a key. */
export const sendWithKey = (
  server: TestApp,
  at: Target,
  sent: Sent,
  { key, as = "owner" }: SendOptions,
): Promise<Reply> =>
  server.call(as, sent.method ?? "POST", sent.path(at), sent.body?.(at), withKey(key, sent.options?.()));

export const records = (A: string) => ({ records: [{ fields: { A } }] });
/** Adds one row. */
export const ADD: Sent = { path: ({ table }) => `${table}/records`, body: () => records("new") };

/** A form with a file. */
export const formWith =
  (content: string, name = "a.txt") =>
  () => {
    const raw = new FormData();
    raw.append("upload", new File([content], name));
    return { raw };
  };
