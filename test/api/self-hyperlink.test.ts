import { expect, test } from "bun:test";
import { sampleDocument, testApp, type TestApp } from "../helpers/app.ts";

const values = async ({ must }: TestApp, doc: string): Promise<unknown> => {
  type Records = { records: { fields: Record<string, unknown> }[] };
  const { records } = await must<Records>("GET", `/api/docs/${doc}/tables/Links/records`);
  return records[0]?.fields;
};

async function linked(server: TestApp): Promise<{ doc: string; workspaceId: number }> {
  const sample = await sampleDocument(server);
  const columns = [
    { id: "Url", fields: { formula: "SELF_HYPERLINK()" } },
    { id: "Page", fields: { formula: "SELF_HYPERLINK('Go', page=3, LinkKey_Code='x y')" } },
  ];
  await server.must("POST", `/api/docs/${sample.doc}/tables`, { tables: [{ id: "Links", columns }] });
  await server.must("POST", `/api/docs/${sample.doc}/tables/Links/records`, { records: [{ fields: {} }] });
  return sample;
}

test("SELF_HYPERLINK is the address of the document's page, in copies of the copy's", async () => {
  await using server = await testApp({ flags: { "public-url": "https://quern.example" } });
  const { doc, workspaceId } = await linked(server);
  const shown = (uuid: string) => ({
    Url: `https://quern.example/docs/${uuid}`,
    Page: `Go https://quern.example/docs/${uuid}/p/3?Code_=x%20y`,
  });
  expect(await values(server, doc)).toEqual(shown(doc));
  const copy = await server.must<string>("POST", `/api/docs/${doc}/copy`, { workspaceId, documentName: "Copy" });
  expect(await values(server, copy)).toEqual(shown(copy));
});

test.each([
  [{ port: "8123" }, "http://127.0.0.1:8123/docs"],
  [{ host: "0.0.0.0", port: "8123" }, "http://localhost:8123/docs"],
  [{ host: "::1", port: "8123" }, "http://[::1]:8123/docs"],
])("without a public address SELF_HYPERLINK begins with that of the settings: %j", async (flags, base) => {
  await using server = await testApp({ flags });
  const { doc } = await linked(server);
  expect(await values(server, doc)).toMatchObject({ Url: `${base}/${doc}` });
});
