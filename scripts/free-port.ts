/** Below the ports that systems give to outgoing connections and to listeners on port 0, which take them at any time. */
const FIRST_PORT = 12_000;
const PORT_COUNT = 20_000;
const MAX_ATTEMPTS = 100;

/** Returns a port without a listener. */
export function freePort(): number {
  for (let attempt = 1; ; attempt++) {
    const port = FIRST_PORT + Math.floor(Math.random() * PORT_COUNT);
    try {
      using server = Bun.listen({ hostname: "127.0.0.1", port, socket: { data() {} } });
      return server.port;
    } catch (error) {
      if (attempt === MAX_ATTEMPTS) throw error;
    }
  }
}
