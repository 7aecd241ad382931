/** What leads to a single row: its link and its history. */
import { copyText } from "../../../../base/client/copy.ts";
import type { MenuItem } from "../../../../base/client/menu.ts";
import { t } from "../../../../base/client/texts.ts";
import { showToast } from "../../../../base/client/toast.ts";

export interface LinkedRow {
  readonly docId: string;
  readonly table: string;
  /** The id under which it is stored. */
  readonly id: number | null;
  readonly address: () => URL;
}

export function rowLinkItems({ docId, table, id, address }: LinkedRow): MenuItem[] {
  const copyLink = async () => {
    if (await copyText(address().href)) showToast(t("table.row.linkCopied"));
  };
  const query = new URLSearchParams({ table, row: String(id ?? "") });
  return [
    { label: t("table.row.copyLink"), icon: "link", run: () => void copyLink() },
    {
      label: t("table.row.history"),
      icon: "history",
      run: () => location.assign(`/docs/${docId}/history?${query.toString()}`),
    },
  ];
}
