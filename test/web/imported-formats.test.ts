import { describe, expect, test } from "bun:test";
import { CHROMIUM, inBrowser, type Visit } from "./browser.ts";
import { listed, makeDocument, makeTable } from "./calls.ts";
import { eachStory } from "./scene.ts";
import { expectRows, openTable } from "./table-page.ts";

describe.skipIf(!CHROMIUM)(inBrowser("a person who imports a workbook"), () => {
  let ada: Visit;
  eachStory((story) => {
    ({ ada } = story);
  });

  test("sees numbers and dates in the formats of the workbook", async () => {
    const doc = await makeDocument(ada);
    const looks = [
      ["Price", "Numeric", { numMode: "currency", currency: "EUR" }],
      ["Share", "Numeric", { numMode: "percent", decimals: 1 }],
      ["Weight", "Numeric", { numMode: "decimal", decimals: 2, maxDecimals: 2 }],
      ["Due", "Date", { dateFormat: "DD.MM.YYYY" }],
    ] as const;
    await makeTable(ada, doc, {
      id: "Goods",
      columns: looks.map(([id, type, options]) => ({ id, fields: { type, widgetOptions: JSON.stringify(options) } })),
      rows: [{ Price: 1234.5, Share: 0.125, Weight: 1000.126, Due: Date.UTC(2026, 11, 31) / 1000 }],
    });
    const { request } = ada.context;
    const file = await request.get(`/api/docs/${doc}/download/xlsx?tableId=Goods`);
    const [home] = await listed(ada);
    const made = await request.post(`/api/workspaces/${home?.id}/import`, {
      headers: { "X-Requested-With": "XMLHttpRequest" },
      multipart: { upload: { name: "Goods.xlsx", mimeType: "application/octet-stream", buffer: await file.body() } },
    });
    const { id } = (await made.json()) as { id: string };
    await openTable(ada.page, id, "Goods");
    await expectRows(ada.page, ["€1,234.50|12.5%|1,000.13|31.12.2026"]);
    expect(ada.problems).toEqual([]);
  });
});
