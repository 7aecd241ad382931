/**
 * Started by figures/sql.ts: several concurrent clients that send hostile statements, one at a time each, until all
 * have run.
 */
import { hostileTexts } from "../../test/sql/hostile-texts.ts";

const { url, headers, timeoutMs, clients } = JSON.parse(Bun.argv[2] ?? "{}") as {
  url: string;
  headers: Record<string, string>;
  timeoutMs: number;
  clients: number;
};
const list = hostileTexts("/nowhere/vault.sqlite").values();
const client = async () => {
  for (const sql of list) {
    const response = await fetch(url, { method: "POST", headers, body: JSON.stringify({ sql, timeout: timeoutMs }) });
    await response.arrayBuffer();
    if (response.status !== 200 && response.status !== 400)
      throw new Error(`${response.status} for ${sql.slice(0, 200)}`);
  }
};
await Promise.all(Array.from({ length: clients }, client));
