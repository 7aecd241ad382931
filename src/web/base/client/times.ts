/** Times in the user's time zone and the page's language: short on the page, exact in the tooltip. */
import { h } from "./dom.ts";
import { t } from "./texts.ts";

const exactFormat = new Intl.DateTimeFormat(t.locale, { dateStyle: "full", timeStyle: "long" });
const dayFormat = new Intl.DateTimeFormat(t.locale, { dateStyle: "medium" });
const minuteFormat = new Intl.DateTimeFormat(t.locale, { dateStyle: "medium", timeStyle: "short" });
const relativeFormat = new Intl.RelativeTimeFormat(t.locale);

const RELATIVE_UNITS = [
  ["second", 60],
  ["minute", 60],
  ["hour", 24],
  ["day", 7],
] as const;

/** "3 hours ago", "1 day ago"; the day for times a week or more away. */
export function formatRelativeTime(time: Date, now: Date = new Date()): string {
  let amount = (time.getTime() - now.getTime()) / 1000;
  for (const [unit, size] of RELATIVE_UNITS) {
    if (Math.abs(amount) < size) {
      if (unit === "second")
        return Math.abs(amount) < 45 ? t("base.justNow") : relativeFormat.format(Math.sign(amount), "minute");
      return relativeFormat.format(Math.trunc(amount), unit);
    }
    amount /= size;
  }
  return dayFormat.format(time);
}

/** `relative` for "3 hours ago", `time` for day and minute, `day` for the day. */
export type TimeStyle = "relative" | "time" | "day";

export function formatTimestamp(time: Date, form: TimeStyle): string {
  return form === "relative" ? formatRelativeTime(time) : (form === "day" ? dayFormat : minuteFormat).format(time);
}

/** Creates an element for a time, updated by `showTimes`. */
export function timeElement(iso: string, form: TimeStyle = "relative"): HTMLTimeElement {
  const element = h("time", { datetime: iso, "data-as": form });
  renderTime(element);
  return element;
}

function renderTime(element: HTMLTimeElement): void {
  const time = new Date(element.dateTime);
  if (Number.isNaN(time.getTime())) return;
  const text = formatTimestamp(time, (element.dataset["as"] ?? "relative") as TimeStyle);
  if (element.textContent !== text) element.textContent = text;
  element.title = exactFormat.format(time);
}

/** Formats all times below an element in the user's time zone; the server sends UTC. */
export function renderTimes(within: ParentNode = document): void {
  for (const element of within.querySelectorAll<HTMLTimeElement>("time[data-as]")) renderTime(element);
}
