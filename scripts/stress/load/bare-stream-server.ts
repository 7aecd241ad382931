/**
 * A server that only passes on: each POST is sent to all event streams. Its delays are those of the machine, the runtime
 * and the client. Prints its port.
 */
const encoder = new TextEncoder();
const controllers = new Set<ReadableStreamDefaultController<Uint8Array>>();

function openStream(): Response {
  let own: ReadableStreamDefaultController<Uint8Array> | undefined;
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      own = controller;
      controllers.add(controller);
      controller.enqueue(encoder.encode("event: reset\n\n"));
    },
    cancel: () => void (own && controllers.delete(own)),
  });
  return new Response(body, { headers: { "Content-Type": "text/event-stream" } });
}

const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  idleTimeout: 0,
  async fetch(request) {
    if (request.method === "GET") return openStream();
    const bytes = encoder.encode(`event: change\ndata: ${await request.text()}\n\n`);
    for (const controller of controllers) controller.enqueue(bytes);
    return new Response();
  },
});
console.log(server.port);
