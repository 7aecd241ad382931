/** How many answers the form has, in the bar. The server renders it: what access rules hide never reaches the page. */
import { refreshPart } from "../../../base/client/refresh.ts";
import { isPublished } from "../form-data.ts";
import { readOwnSettings } from "../form-settings.ts";
import type { Builder } from "./builder.ts";

/** Keeps the number up to date; `refresh` reads it again after answers. */
export function followAnswers(builder: Builder): { refresh(): void } {
  let isReading = false;
  let isStale = false;
  const refresh = async () => {
    isStale = true;
    if (isReading) return;
    isReading = true;
    // Answers that arrive during a read are counted by one more.
    while (isStale) {
      isStale = false;
      // The number stays as it was; the next answer reads it again.
      await refreshPart("form-answers").catch(() => {});
    }
    isReading = false;
  };
  // The number is shown with the state and the maximum.
  const settingsOf = ({ form }: Builder) => `${isPublished(form)} ${readOwnSettings(form.options).maxAnswers}`;
  let settings = settingsOf(builder);
  builder.onChange(() => {
    if (settings === settingsOf(builder)) return;
    settings = settingsOf(builder);
    void refresh();
  });
  return { refresh: () => void refresh() };
}
