/** Parts of the program that load on first use, in a process of their own: the executable embeds them separately. */
import { expect, test } from "bun:test";
import { addUserWithKey, startServerProcess } from "../helpers/server-process.ts";
import { tempFolder } from "../helpers/temp-folder.ts";

/** Formulas that need tables of data, and their values. */
const FORMULAS = {
  Named: ['"\\N{SNOWMAN} \\N{HANGUL SYLLABLE GAG} \\N{CJK UNIFIED IDEOGRAPH-4E2D}"', "☃ 각 中"],
  Name: ['import unicodedata\nreturn unicodedata.name("é")', "LATIN SMALL LETTER E WITH ACUTE"],
  Phone: ['PHONE_FORMAT("+4930901820", "DE")', "030 901820"],
} as const;

test("character names, phone numbers, SQL, spreadsheets, pages and their assets load when they are first used", async () => {
  const folder = tempFolder();
  await using server = await startServerProcess({ folder, settings: { QUERN_METRICS: "loopback" } });
  const headers = { ...(await addUserWithKey({ folder })), "Content-Type": "application/json" };
  const request = async (path: string, body?: unknown) => {
    const init = body === undefined ? { headers } : { method: "POST", headers, body: JSON.stringify(body) };
    const response = await fetch(`${server.address}${path}`, init);
    expect({ path, status: response.status }).toEqual({ path, status: 200 });
    return response;
  };
  const workspace = await (await request("/api/orgs/current/workspaces", { name: "W" })).text();
  const doc = `/api/docs/${(await (await request(`/api/workspaces/${workspace}/docs`, { name: "D" })).json()) as string}`;
  const columns = Object.entries(FORMULAS).map(([id, [formula]]) => ({ id, fields: { isFormula: true, formula } }));
  await request(`${doc}/tables`, { tables: [{ id: "Texts", columns }] });
  await request(`${doc}/tables/Texts/records`, { records: [{ fields: {} }] });
  const values = Object.entries(FORMULAS).map(([id, [, value]]) => [id, value]);
  expect(await (await request(`${doc}/tables/Texts/records`)).json()).toEqual({
    records: [{ id: 1, fields: Object.fromEntries(values) as unknown }],
  });
  const { records } = (await (await request(`${doc}/sql`, { sql: "select Phone from Texts" })).json()) as {
    records: unknown;
  };
  expect(records).toEqual([{ fields: { Phone: FORMULAS.Phone[1] } }]);
  const workbook = await (await request(`${doc}/download/xlsx`)).bytes();
  expect(workbook.subarray(0, 2)).toEqual(new TextEncoder().encode("PK"));
  expect(await (await request("/metrics")).text()).toContain("quern_");
  const page = await (await request("/")).text();
  const assets = [...page.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path]) => path ?? "");
  expect(assets.length).toBeGreaterThan(2);
  for (const path of assets) await request(path);
  expect(await server.stop()).toBe(0);
});
