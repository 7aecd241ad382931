/** Prints the OpenAPI document that the built executable serves: bun scripts/openapi.ts */
import { startServer } from "./running-server.ts";

await using server = await startServer({ settings: { QUERN_LOG_LEVEL: "warn" } });
const response = await fetch(`${server.address}/openapi.json`);
if (!response.ok) throw new Error(`/openapi.json answers ${response.status}`);
await Bun.write(Bun.stdout, await response.bytes());
