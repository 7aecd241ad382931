/** The requests of people and programs in a day, in realistic proportions; each cleans up its data. */
import type { Random } from "./random.ts";

/** Sends a request, reads its response to the end and counts it. Throws for an unexpected status. */
export type SendRequest = (method: string, path: string, options?: SendRequestOptions) => Promise<Response>;

export interface SendRequestOptions {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Accepted statuses; 200 by default. */
  readonly status?: readonly number[];
}

export interface RequestContext {
  readonly ask: SendRequest;
  readonly random: Random;
  /** `/api/docs/<uuid>`, with the table Big of this number of rows and the column File. */
  readonly document: string;
  readonly rows: number;
  readonly workspace: number;
}

interface RequestKind {
  readonly weight: number;
  run(asking: RequestContext): Promise<unknown>;
}

const table = "/tables/Big";
const encode = (value: unknown): string => encodeURIComponent(JSON.stringify(value));
/** Concurrent clients may do the same. */
const RACE_STATUSES = [200, 400, 404] as const;
const CITIES = ["Riga", "Quito", "Osaka", "Tunis", "Perth", "Turin"];

const READ_REQUESTS: readonly RequestKind[] = [
  { weight: 200, run: ({ ask, document }) => ask("GET", `${document}${table}/records?limit=100`) },
  {
    weight: 120,
    run: ({ ask, document, random }) =>
      ask("GET", `${document}${table}/records?filter=${encode({ City: [random.pick(CITIES)] })}`),
  },
  {
    weight: 80,
    run: ({ ask, document }) => ask("GET", `${document}${table}/records?sort=-Qty,Key:naturalSort&limit=20`),
  },
  {
    weight: 60,
    run: ({ ask, document, random }) =>
      ask("POST", `${document}${table}/records/list`, {
        body: { filter: { Tag: ["red"] }, limit: random.below(50) + 1 },
      }),
  },
  { weight: 30, run: ({ ask, document }) => ask("GET", `${document}${table}/data?cellFormat=typed`) },
  { weight: 60, run: ({ ask, document }) => ask("GET", document) },
  { weight: 40, run: ({ ask, document }) => ask("GET", `${document}/tables`) },
  { weight: 40, run: ({ ask, document }) => ask("GET", `${document}${table}/columns`) },
  { weight: 30, run: ({ ask, document }) => ask("GET", `${document}/states`) },
  { weight: 20, run: ({ ask, document }) => ask("GET", `${document}/access`) },
  { weight: 20, run: ({ ask }) => ask("GET", "/api/orgs") },
  { weight: 20, run: ({ ask }) => ask("GET", "/api/orgs/current/workspaces") },
  { weight: 20, run: ({ ask }) => ask("GET", "/api/profile/user") },
  { weight: 20, run: ({ ask }) => ask("GET", "/status") },
  {
    weight: 20,
    run: ({ ask }) => ask("GET", "/sign-in", { headers: { Accept: "text/html" }, status: [200, 302, 303] }),
  },
  {
    weight: 5,
    run: ({ ask }) => ask("GET", "/reference", { headers: { Accept: "text/html" }, status: [200, 302, 303] }),
  },
  {
    weight: 60,
    async run({ ask, document }) {
      const path = `${document}${table}/records?limit=10`;
      const etag = (await ask("GET", path)).headers.get("ETag") ?? "";
      // Other clients write meanwhile, so both statuses are possible.
      await ask("GET", path, { headers: { "If-None-Match": etag }, status: [200, 304] });
    },
  },
];

const FILE_REQUESTS: readonly RequestKind[] = [
  { weight: 6, run: ({ ask, document }) => ask("GET", `${document}/download/csv?tableId=Big`) },
  { weight: 2, run: ({ ask, document }) => ask("GET", `${document}/download/xlsx?tableId=Big`) },
  { weight: 2, run: ({ ask, document }) => ask("GET", `${document}/download/table-schema?tableId=Big`) },
  { weight: 1, run: ({ ask, document }) => ask("GET", `${document}/download?nohistory=true`) },
  {
    weight: 30,
    run: ({ ask, document }) => ask("POST", `${document}/sql`, { body: { sql: "select count(*) from Big" } }),
  },
  {
    weight: 10,
    run: ({ ask, document }) =>
      ask("GET", `${document}/sql?q=${encodeURIComponent("select City, Qty from Big limit 9")}`),
  },
  {
    weight: 4,
    async run({ ask, document, random, rows }) {
      const form = new FormData();
      const content = Uint8Array.from({ length: 2000 }, () => random.below(256));
      form.append("upload", new File([content], "photo.bin"));
      const [id] = (await (await ask("POST", `${document}/attachments`, { body: form })).json()) as number[];
      const put = (file: unknown) =>
        ask("PATCH", `${document}${table}/records`, {
          body: { records: [{ id: row, fields: { File: file } }] },
          status: RACE_STATUSES,
        });
      const row = 1 + random.below(rows);
      await put(["L", id]);
      // Another client may delete the unused ones, or use the same cell.
      await ask("GET", `${document}/attachments/${id}`, { status: RACE_STATUSES });
      await ask("GET", `${document}/attachments/${id}/download`, { status: RACE_STATUSES });
      await put(null);
    },
  },
  { weight: 1, run: ({ ask, document }) => ask("POST", `${document}/attachments/removeUnused`) },
  { weight: 4, run: ({ ask, document }) => ask("GET", `${document}/attachments`) },
];

const WRITE_REQUESTS: readonly RequestKind[] = [
  {
    weight: 120,
    run: ({ ask, document, random, rows }) =>
      ask("PATCH", `${document}${table}/records`, {
        body: { records: [{ id: 1 + random.below(rows), fields: { Qty: random.below(1000) } }] },
      }),
  },
  {
    weight: 30,
    run({ ask, document, random, rows }) {
      const first = 1 + random.below(rows - 10);
      const records = Array.from({ length: 10 }, (_, i) => ({
        id: first + i,
        fields: { Note: `note ${random.below(99)}` },
      }));
      return ask("PATCH", `${document}${table}/records`, { body: { records } });
    },
  },
  {
    weight: 40,
    async run({ ask, document }) {
      const body = { records: [{ fields: { Key: "passing", City: "Riga", Qty: 1 } }] };
      const added = await ask("POST", `${document}${table}/records`, { body });
      const { records } = (await added.json()) as { records: { id: number }[] };
      await ask("POST", `${document}${table}/records/delete`, { body: records.map(({ id }) => id) });
    },
  },
  {
    weight: 20,
    run({ ask, document, random, rows }) {
      const require = { Key: `key ${1 + random.below(rows)}` };
      return ask("PUT", `${document}${table}/records`, {
        body: { records: [{ require, fields: { Price: random.below(100) } }] },
      });
    },
  },
  {
    weight: 20,
    run: ({ ask, document, random, rows }) =>
      ask("POST", `${document}/apply`, {
        body: [["UpdateRecord", "Big", 1 + random.below(rows), { Done: random.chance(0.5) }]],
      }),
  },
  {
    weight: 1,
    async run({ ask, document }) {
      await ask("POST", `${document}/apply`, {
        body: [["AddColumn", "Big", "Passing", { formula: "$Qty + 1", isFormula: true }]],
        status: RACE_STATUSES,
      });
      await ask("POST", `${document}/apply`, { body: [["RemoveColumn", "Big", "Passing"]], status: RACE_STATUSES });
    },
  },
  {
    weight: 4,
    run: ({ ask, document, random }) => ask("PATCH", document, { body: { name: `Soak ${random.below(9)}` } }),
  },
  {
    weight: 2,
    async run({ ask, workspace }) {
      const made = await ask("POST", `/api/workspaces/${workspace}/docs`, { body: { name: "Passing" } });
      const path = `/api/docs/${String(await made.json())}`;
      await ask("GET", `${path}/tables/Table1/records`);
      await ask("DELETE", path);
    },
  },
];

const INVALID_REQUESTS: readonly RequestKind[] = [
  { weight: 10, run: ({ ask }) => ask("GET", "/api/docs/nowhere/tables", { status: [404] }) },
  {
    weight: 10,
    run: ({ ask }) => ask("GET", "/api/orgs", { headers: { Authorization: "Bearer wrong" }, status: [401] }),
  },
  { weight: 10, run: ({ ask, document }) => ask("GET", `${document}/tables/Nothing/records`, { status: [404] }) },
  {
    weight: 10,
    run: ({ ask, document }) => ask("PATCH", `${document}${table}/records`, { body: { records: 5 }, status: [400] }),
  },
  {
    weight: 5,
    run: ({ ask, document }) => ask("POST", `${document}/sql`, { body: { sql: "delete from Big" }, status: [400] }),
  },
];

const REQUEST_KINDS = [...READ_REQUESTS, ...FILE_REQUESTS, ...WRITE_REQUESTS, ...INVALID_REQUESTS];
const TOTAL_WEIGHT = REQUEST_KINDS.reduce((sum, { weight }) => sum + weight, 0);

/** Returns a random kind of request, by weight. */
export function pickRequest(random: Random): RequestKind {
  let at = random.below(TOTAL_WEIGHT);
  for (const kind of REQUEST_KINDS) {
    at -= kind.weight;
    if (at < 0) return kind;
  }
  throw new Error("the weights do not add up");
}
