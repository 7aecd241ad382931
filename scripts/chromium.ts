import { existsSync } from "node:fs";

const PATHS = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome", "/snap/bin/chromium"];

/**
 * The Chromium of this machine.
 * @throws Error when there is none
 */
export function findChromium(): string {
  const found = [process.env["TEST_BROWSER"] ?? "", ...PATHS].find((path) => path && existsSync(path));
  if (!found) throw new Error("there is no Chromium here; TEST_BROWSER names one");
  return found;
}
