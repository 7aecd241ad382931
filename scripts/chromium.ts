import { existsSync } from "node:fs";

const PATHS = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome", "/snap/bin/chromium"];

/**
 * Returns the path of this machine's Chromium.
 * @throws Error if there is none
 */
export function findChromium(): string {
  const found = [process.env["TEST_BROWSER"] ?? "", ...PATHS].find((path) => path && existsSync(path));
  if (!found) throw new Error("Chromium not found; set TEST_BROWSER to its path");
  return found;
}
