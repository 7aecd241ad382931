import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { testApp, type Caller, type TestApp } from "../helpers/app.ts";
import {
  createDocumentFixture,
  type DocumentFixture,
  runSteps,
  createSharedFixture,
  statusesByCaller,
} from "../helpers/request-steps.ts";

let server: TestApp;
let place: DocumentFixture;

beforeAll(async () => {
  server = await testApp({ flags: { "max-upload": "2MB" } });
  place = await createSharedFixture(server);
});
afterAll(() => server[Symbol.asyncDispose]());

type Bytes = string | Uint8Array<ArrayBuffer>;

function form(name: string, bytes: Bytes, fields: Record<string, string> = {}): FormData {
  const data = new FormData();
  data.append("upload", new File([bytes], name));
  for (const [field, value] of Object.entries(fields)) data.append(field, value);
  return data;
}

const send = (as: Caller, path: string, raw: FormData) => server.call(as, "POST", path, undefined, { raw });
describe("uploads", () => {
  const uploads = () => `${place.doc}/uploads`;

  test("are kept for their uploader, and can be used repeatedly", async () => {
    const { status, body } = await send("viewer", uploads(), form("Bees.CSV", "n\n1\n"));
    expect([status, body]).toEqual([
      200,
      { uploadId: expect.any(Number), files: [{ origName: "Bees.CSV", size: 4, ext: ".csv" }] },
    ]);
    const { uploadId } = (await send("editor", uploads(), form("Wasps.csv", "n\n1\n"))).body;
    await runSteps(server, [
      ["editor", "POST", `${place.doc}/import?dryRun=1`, { uploadId }, 200, { tables: [{ id: "Wasps" }] }],
      ["editor", "POST", `${place.doc}/import`, { uploadId: body.uploadId }, 404],
      ["editor", "POST", `${place.doc}/import`, { uploadId: "1" }, 400],
      ["editor", "POST", `${place.doc}/import`, {}, 400],
      ["owner", "POST", `${place.shelf}/import`, { uploadId }, 404],
    ]);
    const own = (await send("owner", uploads(), form("Ants.csv", "n\n1\n"))).body.uploadId as number;
    await runSteps(server, [
      ["owner", "POST", `${place.shelf}/import`, { uploadId: own, documentName: "Hill" }, 200, { title: "Ants" }],
      ["owner", "POST", `${place.shelf}/import`, { uploadId: own }, 200, { title: "Ants" }],
    ]);
    const empty = new FormData();
    empty.append("uploadId", String(own));
    expect((await send("owner", `${place.shelf}/import`, empty)).status).toBe(200);
  });

  test("are refused without a file, or too large, and leave nothing behind", async () => {
    const files = () => readdirSync(join(server.folder, "tmp")).length;
    const before = files();
    const none = new FormData();
    none.append("other", new File(["x"], "x.csv"));
    expect((await send("owner", uploads(), none)).status).toBe(400);
    expect((await send("owner", uploads(), form("a.csv", "x".repeat(2_200_000)))).status).toBe(413);
    expect((await server.call("owner", "POST", uploads(), {})).status).toBe(400);
    expect(
      (await server.call("owner", "POST", uploads(), undefined, { raw: "x", headers: { "Content-Type": "text/csv" } }))
        .status,
    ).toBe(415);
    expect(await statusesByCaller(server, ["stranger", "anon"], ["POST", uploads(), {}])).toEqual([403, 403]);
    // The partial file is removed while the refusal is sent.
    while (files() > before) await Bun.sleep(1);
  });

  test("old ones are evicted when there are many", async () => {
    const first = (await send("viewer", uploads(), form("a.csv", "n\n1\n"))).body.uploadId as number;
    for (let i = 0; i < 20; i++) await send("viewer", uploads(), form("b.csv", "n\n1\n"));
    const shelf = await createDocumentFixture(server);
    await server.must("PATCH", `${shelf.doc}/access`, { delta: { users: { "vito@example.com": "editors" } } });
    await runSteps(server, [
      ["viewer", "POST", `${shelf.doc}/import?dryRun=1`, { uploadId: first }, 404],
      ["viewer", "POST", `${shelf.doc}/import?dryRun=1`, { uploadId: first + 20 }, 200],
    ]);
  });
});

/** Returns the temporary files. */
const waiting = () => readdirSync(join(server.folder, "tmp")).length;

describe("dry runs", () => {
  const shelf = (query = "") => `${place.shelf}/import${query}`;
  const CSV = "Day;Sum;Code\n1.2.2024;1.234,50 €;007\n13.2.2024;n/a;008\n";

  test("return a report, and create only the upload; the import then accepts options", async () => {
    const before = await server.must("GET", place.shelf);
    for (const query of ["?dryRun=1", "?dryrun=true"]) {
      const { status, body } = await send("owner", shelf(query), form("bank.csv", CSV));
      expect([status, body]).toMatchObject([
        200,
        {
          title: "bank",
          uploadId: expect.any(Number),
          locale: "de-DE",
          currency: "EUR",
          decimal: ",",
          dates: "mdy",
          tables: [
            {
              id: "Bank",
              rows: 2,
              columns: [
                {
                  id: "Day",
                  type: "Date",
                  format: { dateFormat: "D.M.YYYY" },
                  firstValue: 1_706_745_600,
                  rule: "values",
                },
                {
                  id: "Sum",
                  type: "Numeric",
                  format: { numMode: "currency", decimals: 2 },
                  converted: 1,
                  unconverted: 0,
                },
                { id: "Code", type: "Text", rule: "codes", firstValue: "007" },
              ],
            },
          ],
        },
      ]);
      expect(await server.must("GET", place.shelf)).toEqual(before);
    }
    const { body } = await send("owner", shelf("?dryRun=1"), form("bank.csv", CSV));
    const { uploadId } = body;
    const choices = {
      types: { Code: "Numeric", Sum: "Text" },
      header: 1,
      delimiter: ";",
      zone: "Europe/Berlin",
      dates: "dmy",
    };
    const again = await server.call("owner", "POST", shelf("?dryRun=1"), { uploadId, ...choices });
    expect(again.body).toMatchObject({
      uploadId,
      tables: [{ columns: [{}, { type: "Text", rule: "request" }, { firstValue: 7 }] }],
    });
    const made = await server.call("owner", "POST", shelf(), { uploadId, documentName: "Bank", ...choices });
    // Existing programs expect exactly these two.
    expect([made.status, made.body]).toEqual([200, { id: expect.any(String), title: "bank" }]);
    await runSteps(server, [
      ["owner", "GET", `/o/docs/api/docs/${made.body.id}`, undefined, 200, { name: "Bank" }],
      [
        "owner",
        "GET",
        `/o/docs/api/docs/${made.body.id}/tables/Bank/records`,
        undefined,
        200,
        { records: [{ fields: { Sum: "1.234,50 €", Code: 7 } }, { fields: { Sum: "n/a", Code: 8 } }] },
      ],
    ]);
  });

  test("parse the file once: the rows are cached with it, and removed with it", async () => {
    const { shelf: own } = await createDocumentFixture(server);
    const files = waiting();
    const { uploadId } = (await send("owner", `${own}/import?dryRun=1`, form("a.csv", CSV))).body;
    // The file, and its rows.
    expect(waiting()).toBe(files + 2);
    await server.must("POST", `${own}/import?dryRun=1`, { uploadId, decimal: "." });
    await server.must("POST", `${own}/import`, { uploadId });
    expect(waiting()).toBe(files + 2);
    // Rows parsed with other options replace the former ones.
    await server.must("POST", `${own}/import?dryRun=1`, { uploadId, delimiter: "," });
    expect(waiting()).toBe(files + 2);
  });

  test("leave nothing behind for an unreadable file or an invalid option", async () => {
    const files = waiting();
    expect((await send("owner", shelf("?dryRun=1"), form("a.csv", ""))).status).toBe(400);
    for (const [field, value] of [
      ["types", "{"],
      ["types", '{"Day": "Ref:Table1"}'],
      ["types", '{"Day": "DateTime:Nowhere/City"}'],
      ["zone", "Nowhere/City"],
      ["decimal", ";"],
      ["dates", "ymd"],
      ["header", "-1"],
      ["encoding", "nonsense"],
      ["locale", "12"],
      ["sheet", "none"],
    ] as const) {
      const { status } = await send("owner", shelf("?dryRun=1"), form("a.csv", CSV, { [field]: value }));
      expect([field, value, status]).toEqual([field, value, field === "sheet" ? 404 : 400]);
    }
    expect(waiting()).toBe(files);
  });

  test("require permission to import, and keep the upload for the caller", async () => {
    const statusOf = async (as: Caller) => (await send(as, shelf("?dryRun=1"), form("a.csv", CSV))).status;
    expect([await statusOf("stranger"), await statusOf("anon")]).toEqual([403, 403]);
    const { uploadId } = (await send("owner", shelf("?dryRun=1"), form("a.csv", CSV))).body;
    await runSteps(server, [
      ["editor", "POST", `${place.doc}/import`, { uploadId }, 404],
      ["owner", "POST", `${place.doc}/import`, { uploadId, header: "x" }, 400],
      ["owner", "POST", `${place.doc}/import?dryRun=1`, { uploadId, header: 0 }, 200, { tables: [{ rows: 3 }] }],
    ]);
  });
});

describe("the locale of a new document", () => {
  const settingsOf = async (
    headers: Record<string, string>,
    fields: Record<string, string> = {},
    csv = "a\n1/2/2024\n",
  ) => {
    const raw = form("x.csv", csv, fields);
    const { body } = await server.call("editor", "POST", `${place.shelf}/import?report=1`, undefined, { raw, headers });
    const records = await server.call("editor", "GET", `/o/docs/api/docs/${body.id}/tables/X/records`);
    const { a } = (records.body as { records: { fields: { a: number } }[] }).records[0]?.fields ?? {};
    return [body.locale, body.currency, a] as unknown[];
  };
  const day = (month: number, date: number) => Date.UTC(2024, month - 1, date) / 1000;

  test("is that of the request, the user or the browser, and applies where the file is ambiguous", async () => {
    await server.must("PATCH", `${place.shelf}/access`, { delta: { users: { "Emil@example.com": "editors" } } });
    const browser = { "Accept-Language": "de-CH,de;q=0.9" };
    expect(await settingsOf({})).toEqual(["en-US", "USD", day(1, 2)]);
    expect(await settingsOf(browser)).toEqual(["de-CH", "CHF", day(2, 1)]);
    await runSteps(server, [["editor", "POST", "/api/profile/user/locale", { locale: "fr" }, 200]]);
    expect(await settingsOf(browser)).toEqual(["fr-FR", "EUR", day(2, 1)]);
    expect(await settingsOf(browser, { locale: "en-US" })).toEqual(["en-US", "USD", day(1, 2)]);
    await runSteps(server, [["editor", "POST", "/api/profile/user/locale", { locale: null }, 200]]);
  });

  test("follows the numbers of the file", async () => {
    expect(await settingsOf(browserOf("en-US"), {}, 'a,b\n"1.234,50 €",x\n')).toEqual(["de-DE", "EUR", 1234.5]);
  });
});

const browserOf = (language: string) => ({ "Accept-Language": language });
