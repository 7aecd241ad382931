/** Measures formulas: the slowest column first. */
import type { TimingList, TimingStatus } from "../../../../wire/tables/timing.ts";
import type { z } from "../../../../wire/common/schema.ts";
import { announce } from "../../../base/client/announce.ts";
import { api, send } from "../../../base/client/api.ts";
import { find, findOptional, h, nameElement, replaceChildren } from "../../../base/client/dom.ts";
import { showError } from "../../../base/client/problem.ts";
import { t } from "../../../base/client/texts.ts";
import { documentAddress } from "./saving.ts";
import { tableTitles } from "./usage.ts";

type Timings = z.infer<typeof TimingList>;

const address = (): string => `${documentAddress()}/timing`;

export const startTiming = (): Promise<void> =>
  withProblem(startTiming, async () => {
    await send(`${address()}/start`, { method: "POST" });
    await load();
    announce(t("docSettings.timing.started"));
  });

export const stopTiming = (): Promise<void> =>
  withProblem(stopTiming, async () => {
    showTimings(await api<Timings>(`${address()}/stop`, { method: "POST" }), { isActive: false });
    announce(t("docSettings.timing.stopped"));
  });

export const refreshTiming = (): Promise<void> => withProblem(refreshTiming, load);

async function load(): Promise<void> {
  const { status, timing = [] } = await api<z.infer<typeof TimingStatus>>(address());
  showTimings(timing, { isActive: status === "active" });
}

async function withProblem(retry: () => Promise<void>, run: () => Promise<void>): Promise<void> {
  const place = findOptional("#timing-results");
  if (!place) return;
  try {
    await run();
  } catch (error) {
    showError(place, error, { retry: () => void retry() });
  }
}

function showTimings(timings: Timings, { isActive }: { isActive: boolean }): void {
  const sorted = timings.toSorted((a, b) => b.sum - a.sum);
  const empty = isActive ? [h("p", {}, t("docSettings.timing.none"))] : [];
  replaceChildren(find("#timing-results"), ...(sorted.length > 0 ? [timingTable(sorted)] : empty));
  find("[data-do=start-timing]").hidden = isActive;
  for (const name of ["refresh", "stop"]) find(`[data-do=${name}-timing]`).hidden = !isActive;
}

function timingTable(timings: Timings): HTMLElement {
  const titles = tableTitles();
  const milliseconds = new Intl.NumberFormat(t.locale, { maximumSignificantDigits: 3 });
  const time = (seconds: number) => t("docSettings.timing.ms", { ms: milliseconds.format(seconds * 1000) });
  const heading = (text: string, isAmount: boolean) =>
    h("th", { scope: "col", class: isAmount ? "amount" : null }, text);
  return h(
    "table",
    { class: "usage", "aria-label": t("docSettings.timing") },
    h(
      "thead",
      {},
      h(
        "tr",
        {},
        heading(t("docSettings.timing.column"), false),
        heading(t("docSettings.timing.cells"), true),
        heading(t("docSettings.timing.total"), true),
        heading(t("docSettings.timing.average"), true),
        heading(t("docSettings.timing.max"), true),
      ),
    ),
    h(
      "tbody",
      {},
      ...timings.map(({ tableId, colId, sum, count, average, max }) =>
        h(
          "tr",
          {},
          h("th", { scope: "row" }, nameElement(titles[tableId] ?? tableId), " › ", nameElement(colId)),
          h("td", { class: "amount" }, new Intl.NumberFormat(t.locale).format(count)),
          h("td", { class: "amount" }, time(sum)),
          h("td", { class: "amount" }, time(average)),
          h("td", { class: "amount" }, time(max)),
        ),
      ),
    ),
  );
}
