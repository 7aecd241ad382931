/** Times in the person's zone: short on the page, exact when pointed at. */
import { h } from "./dom.ts";

const exactly = new Intl.DateTimeFormat(undefined, { dateStyle: "full", timeStyle: "long" });
const byDay = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" });
const byMinute = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
const ago = new Intl.RelativeTimeFormat("en");

const STEPS = [
  ["second", 60],
  ["minute", 60],
  ["hour", 24],
  ["day", 7],
] as const;

/** "3 hours ago", "1 day ago"; the day for what is a week or more away. */
export function relative(time: Date, now: Date = new Date()): string {
  let amount = (time.getTime() - now.getTime()) / 1000;
  for (const [unit, size] of STEPS) {
    if (Math.abs(amount) < size) {
      if (unit === "second") return Math.abs(amount) < 45 ? "just now" : ago.format(Math.sign(amount), "minute");
      return ago.format(Math.trunc(amount), unit);
    }
    amount /= size;
  }
  return byDay.format(time);
}

/** `relative` for "3 hours ago", `time` for day and minute, `day` for the day. */
export type TimeForm = "relative" | "time" | "day";

export function timeText(time: Date, form: TimeForm): string {
  return form === "relative" ? relative(time) : (form === "day" ? byDay : byMinute).format(time);
}

/** An element for a time, kept up to date by `showTimes`. */
export function timeElement(iso: string, form: TimeForm = "relative"): HTMLTimeElement {
  const element = h("time", { datetime: iso, "data-as": form });
  showTime(element);
  return element;
}

function showTime(element: HTMLTimeElement): void {
  const time = new Date(element.dateTime);
  if (Number.isNaN(time.getTime())) return;
  const text = timeText(time, (element.dataset["as"] ?? "relative") as TimeForm);
  if (element.textContent !== text) element.textContent = text;
  element.title = exactly.format(time);
}

/** Shows all times below an element as the person reads them; the server has sent them as UTC. */
export function showTimes(within: ParentNode = document): void {
  for (const element of within.querySelectorAll<HTMLTimeElement>("time[data-as]")) showTime(element);
}
