/**
 * Started by isolation.ts: reads repeatedly, at least `minReads` times, until its input ends, and prints the duration of
 * each read in milliseconds.
 */
const { url, headers, pauseMs, minReads } = JSON.parse(Bun.argv[2] ?? "{}") as {
  url: string;
  headers: Record<string, string>;
  pauseMs: number;
  minReads: number;
};
const taken: number[] = [];
const over = new AbortController();
void Bun.stdin.text().then(() => over.abort());
do {
  const start = performance.now();
  const answer = await fetch(url, { headers });
  await answer.arrayBuffer();
  taken.push(performance.now() - start);
  if (!answer.ok) throw new Error(`${url}: ${answer.status}`);
  await Bun.sleep(pauseMs);
} while (!over.signal.aborted || taken.length < minReads);
console.log(JSON.stringify(taken));
