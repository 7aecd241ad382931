/**
 * Started by load.ts: sends requests over several connections for some seconds, and prints the rate in wrk's format.
 */
const { url, headers, body, seconds, CONNECTIONS } = JSON.parse(Bun.argv[2] ?? "{}") as {
  url: string;
  headers: Record<string, string>;
  body?: string;
  seconds: number;
  CONNECTIONS: number;
};
const start = performance.now();
let answered = 0;
const connection = async () => {
  while (performance.now() - start < seconds * 1000) {
    const response = await fetch(url, { headers, ...(body !== undefined && { method: "POST", body }) });
    await response.arrayBuffer();
    if (!response.ok) throw new Error(`${response.status}`);
    answered++;
  }
};
await Promise.all(Array.from({ length: CONNECTIONS }, connection));
console.log(`Requests/sec: ${(answered / ((performance.now() - start) / 1000)).toFixed(1)}`);
