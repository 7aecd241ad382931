import { strToU8, zipSync } from "fflate";

/** Builds a workbook as other programs write it, with the given parts. */
export function book(parts: Record<string, string>): Uint8Array {
  const relation = (id: string, type: string, target: string) =>
    `<Relationship Id="${id}" Type="http://x/relationships/${type}" Target="${target}"/>`;
  const all: Record<string, string> = {
    "_rels/.rels": `<Relationships>${relation("r1", "officeDocument", "/xl/workbook.xml")}</Relationships>`,
    "xl/workbook.xml": '<workbook><sheets><sheet name="First" sheetId="1" r:id="r1"/></sheets></workbook>',
    "xl/_rels/workbook.xml.rels": `<Relationships>${relation("r1", "worksheet", "worksheets/sheet1.xml")}${relation("r2", "sharedStrings", "sharedStrings.xml")}${relation("r3", "styles", "styles.xml")}</Relationships>`,
    "xl/sharedStrings.xml": "<sst/>",
    "xl/styles.xml": "<styleSheet/>",
    "xl/worksheets/sheet1.xml": sheetXml(""),
    ...parts,
  };
  return zipSync(Object.fromEntries(Object.entries(all).map(([name, text]) => [name, strToU8(text)])), { level: 6 });
}

export const sheetXml = (rows: string): string => `<worksheet><sheetData>${rows}</sheetData></worksheet>`;
