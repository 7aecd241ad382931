/** Forwards requests of all kinds to an address, and prints the outcomes: in a process with authorities of its own. */
import { forward, isUntrusted } from "../../../src/cluster/proxy/forward.ts";

const [address = ""] = process.argv.slice(2);
const outcomes: (string | boolean)[][] = [];
for (const { method, isStream } of [
  { method: "POST", isStream: false },
  // Sent by another client of the runtime.
  { method: "PUT", isStream: false },
  { method: "GET", isStream: true },
]) {
  const request = new Request("http://localhost/path", { method });
  const body = method === "GET" ? null : new Uint8Array(Buffer.from("secret"));
  const options = { address, hop: "signed", timeoutMs: 5000, isStream, abort: new AbortController() };
  const outcome = await forward({ request, body }, options);
  outcomes.push([outcome.kind, "error" in outcome && isUntrusted(outcome.error)]);
}
console.log(JSON.stringify(outcomes));
process.exit(0);
