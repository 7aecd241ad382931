import { type Child, nameElement } from "../../../base/client/dom.ts";
import { t } from "../../../base/client/texts.ts";
import type { ColumnListing } from "../../../base/table-data.ts";
import type { LinkOffer } from "../../../base/views/link-offers.ts";
import { sectionTitle } from "../../../base/views/section-title.ts";
import type { PageModel } from "./page-model.ts";

/** Says what a link to another section would do. */
export function offerText(page: PageModel, { section, link }: LinkOffer): readonly Child[] {
  const name = nameElement(sectionTitle(t, section, page.data.tables));
  const label = ({ id, fields }: Pick<ColumnListing, "id"> & { readonly fields: { readonly label: string } }) =>
    nameElement(fields.label || id);
  switch (link.kind) {
    case "cursor":
      return link.column === null
        ? t.rich("view.link.offer.same", { section: name })
        : t.rich("view.link.offer.cursor", { section: name, column: label(link.column) });
    case "listed":
      return t.rich("view.link.offer.listed", { section: name, column: label(link.column) });
    case "referring":
      return t.rich("view.link.offer.referring", { section: name, column: label(link.column) });
    case "group":
      return t.rich("view.link.offer.group", { section: name });
    case "equal": {
      const [pair] = link.pairs;
      if (!pair) return [name];
      return t.rich("view.link.offer.equal", {
        section: name,
        source: label(pair.source),
        target: label(pair.target),
      });
    }
    default:
      return link satisfies never;
  }
}
