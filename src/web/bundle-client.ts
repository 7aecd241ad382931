import { readFileSync } from "node:fs";

/** Runs at build time, as a macro: the pages' script as JavaScript for browsers. */
export function bundleClient(): string {
  const source = readFileSync(new URL("./client/client.ts", import.meta.url), "utf8");
  return new Bun.Transpiler({ loader: "ts", target: "browser", minifyWhitespace: true }).transformSync(source);
}
