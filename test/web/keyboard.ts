/** Walks by keyboard: presses keys, and tells where the focus is after each. */
import type { Page } from "playwright-core";
import { expectPoll } from "../helpers/expect-poll.ts";
import { press } from "./controls.ts";

/** The focused element by role and name: `button Filter`, `gridcell Total: 12.5`. */
const FOCUS = `(() => {
  const element = document.activeElement;
  if (!element || element === document.body) return "body";
  const { left, right, top, bottom } = element.getBoundingClientRect();
  const [x, y] = [(Math.max(0, left) + Math.min(innerWidth, right)) / 2, (Math.max(0, top) + Math.min(innerHeight, bottom)) / 2];
  const hit = document.elementFromPoint(x, y);
  const isShown = element.checkVisibility({ opacityProperty: true, visibilityProperty: true }) && right - left > 1 && bottom - top > 1;
  const isSeen = hit !== null && (element.contains(hit) || hit.contains(element) || [...(element.labels ?? [])].some((label) => label.contains(hit)));
  const roles = { a: "link", summary: "summary", button: "button", select: "combobox", textarea: "textbox" };
  const role = element.getAttribute("role") ?? (element.localName === "input" ? element.type : (roles[element.localName] ?? element.localName));
  const labelled = document.getElementById(element.getAttribute("aria-labelledby")?.split(" ")[0] ?? "");
  const name = element.ariaLabel ?? labelled?.textContent ?? element.labels?.[0]?.firstChild?.textContent ?? element.textContent;
  return (isShown && isSeen ? "" : "unseen ") + role + " " + name.replaceAll(/\\s+/g, " ").trim();
})()`;

/** Whether the focus is in what a tool has opened. */
export const IN_SURFACE = `document.activeElement.closest(".popover, [role=menu], dialog") !== null`;

export const focus = (page: Page): Promise<string> => page.evaluate<string>(FOCUS);

/** Presses keys one after another, and checks where the focus is after each. */
export async function walk(page: Page, steps: readonly (readonly [key: string, focused: string])[]): Promise<void> {
  for (const [key, focused] of steps) {
    await press(page, key);
    await expectPoll(async () => [key, await focus(page)] as const).toEqual([key, focused]);
  }
}

/** Presses a key until a control has the focus. */
export async function walkTo(page: Page, key: string, focused: string): Promise<void> {
  const passed: string[] = [];
  while (passed.at(-1) !== focused) {
    if (passed.length > 40) throw new Error(`${key} does not lead to ${focused}, but to ${passed.join(", ")}`);
    await press(page, key);
    const now = await focus(page);
    if (now === "body" || now.startsWith("unseen")) throw new Error(`${key} after ${passed.at(-1)} leads to ${now}`);
    passed.push(now);
  }
}
