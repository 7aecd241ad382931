import type { DocumentGrant } from "../../authorization.ts";
import { AppError } from "../../errors.ts";
import type { Context } from "../../services/context.ts";
import { fetchRecords } from "../../services/documents/content.ts";
import { parseRendered } from "./parse-rendered.ts";
import type { DocumentSettings, RecordsPage } from "./table-data.ts";

/** Returns the settings of a document that affect how values are displayed. */
export async function readDocumentSettings(ctx: Context, grant: DocumentGrant): Promise<DocumentSettings> {
  try {
    const answer = await fetchRecords(ctx, grant, { table: "_grist_DocInfo", hidden: true, typed: false, limit: "1" });
    const { records } = await parseRendered<RecordsPage>(ctx, grant, answer);
    const { timezone, documentSettings } = records[0]?.fields ?? {};
    const parsedSettings =
      typeof documentSettings === "string" && documentSettings ? parseSettings(documentSettings) : {};
    return {
      locale: "en-US",
      ...parsedSettings,
      timezone: typeof timezone === "string" && timezone ? timezone : "UTC",
    };
  } catch (error) {
    // Access rules may hide the metadata from the reader: values are then formatted with defaults.
    if (error instanceof AppError) return { locale: "en-US", timezone: "UTC" };
    throw error;
  }
}

function parseSettings(text: string): Partial<DocumentSettings> {
  try {
    const { locale, currency } = JSON.parse(text) as Record<string, unknown>;
    return {
      ...(typeof locale === "string" && locale && { locale }),
      ...(typeof currency === "string" && currency && { currency }),
    };
  } catch {
    return {};
  }
}
