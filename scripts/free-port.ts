/** Returns a port without a listener. */
export function freePort(): number {
  using server = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
  return server.port;
}
