/**
 * Started by isolation.ts: reads repeatedly until its input ends, and prints the duration of each read in milliseconds.
 */
const { url, headers, pauseMs } = JSON.parse(Bun.argv[2] ?? "{}") as {
  url: string;
  headers: Record<string, string>;
  pauseMs: number;
};
const taken: number[] = [];
const over = new AbortController();
void Bun.stdin.text().then(() => over.abort());
while (!over.signal.aborted) {
  const start = performance.now();
  const answer = await fetch(url, { headers });
  await answer.arrayBuffer();
  taken.push(performance.now() - start);
  if (!answer.ok) throw new Error(`${url}: ${answer.status}`);
  await Bun.sleep(pauseMs);
}
console.log(JSON.stringify(taken));
