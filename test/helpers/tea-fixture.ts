import type { TestApp } from "./app.ts";
import { type DocumentFixture, createSharedFixture } from "./request-steps.ts";

/** Creates a shared document with a table Tea, whose two rows refer to each other and have a formula column. */
export async function createTeaFixture(server: TestApp): Promise<DocumentFixture> {
  const fixture = await createSharedFixture(server);
  const columns = [
    { id: "Name", fields: { type: "Text" } },
    { id: "Friend", fields: { type: "Ref:Tea" } },
    { id: "Length", fields: { isFormula: true, formula: "len($Name)" } },
  ];
  await server.must("POST", `${fixture.doc}/tables`, { tables: [{ id: "Tea", columns }] });
  await server.must("POST", `${fixture.doc}/tables/Tea/records`, {
    records: [{ fields: { Name: "Assam", Friend: 2 } }, { fields: { Name: "Sencha", Friend: 1 } }],
  });
  return fixture;
}
