import { expect, test } from "bun:test";
import { kindInfo, presentationOf, sectionTitle } from "../../../../src/web/base/views/section-title.ts";
import { chooseLanguage, textsOf } from "../../../../src/web/texts/languages.ts";

const t = textsOf(chooseLanguage("en", null));

const TABLES = [
  { id: "Orders", ref: 1, title: "First orders", sourceRef: 0, groupedBy: [] },
  { id: "Orders_summary_Status", ref: 2, title: "Orders_summary_Status", sourceRef: 1, groupedBy: ["Status", "Month"] },
  { id: "Orders_summary", ref: 3, title: "Orders_summary", sourceRef: 1, groupedBy: [] },
];

const titleOf = (tableRef: number, kind = "record", title = "") => sectionTitle(t, { title, tableRef, kind }, TABLES);

test("sections without a title have the name of their table in capitals", () => {
  expect(titleOf(1)).toBe("FIRST ORDERS");
  expect(titleOf(1, "")).toBe("FIRST ORDERS");
  expect(titleOf(1, "detail", "My orders")).toBe("My orders");
  expect(titleOf(2)).toBe("FIRST ORDERS [by Status, Month]");
  expect(titleOf(3)).toBe("FIRST ORDERS [totals]");
  expect(titleOf(9)).toBe("");
});

test.each(["constructor", "__proto__", "toString", "kanban", "Custom", " "])(
  "%j is a kind that pages do not show",
  (kind) => {
    expect(presentationOf(kind)).toBe("placeholder");
    expect(kindInfo(kind)).toEqual({ label: "view.kind.unknown", icon: "circle-question-mark" });
    expect(titleOf(1, kind)).toContain(t("view.kind.unknown"));
  },
);
