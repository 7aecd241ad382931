/** Changes of tables and columns on the page of a table. */
import { dialog } from "../controls.ts";
import { t, type PseudoScene } from "./scenes.ts";
import { inColumnMenu, inTableMenu, kinds } from "./table-scenes.ts";

export const SCHEMA_SCENES: readonly PseudoScene[] = [
  kinds("duplicate the table", inTableMenu(t("table.duplicate.menu"))),
  kinds("new reference", async (page) => {
    await inColumnMenu("AText", t("table.column.insertRight"))(page);
    await dialog(page).locator("select").first().selectOption("Ref");
    await dialog(page).locator(".reverse-field input").first().check();
  }),
];
