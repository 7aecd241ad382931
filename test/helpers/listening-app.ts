import { testApp, type TestApp } from "./app.ts";

/** A server of tests at an address, for clients that send requests over HTTP. */
export interface ListeningApp extends AsyncDisposable {
  readonly server: TestApp;
  /** Without a slash at the end. */
  readonly address: string;
}

export async function listeningApp(): Promise<ListeningApp> {
  const server = await testApp();
  const listening = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: (request) => server.app.handle(request) });
  return {
    server,
    address: `http://127.0.0.1:${listening.port}`,
    async [Symbol.asyncDispose]() {
      await listening.stop(true);
      await server[Symbol.asyncDispose]();
    },
  };
}
