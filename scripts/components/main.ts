/** Serves the page of all components: `sh scripts/dev --components`. QUERN_PORT sets the port. */
import { createComponentsApp } from "./app.tsx";

const app = await createComponentsApp();
const server = Bun.serve({
  hostname: "127.0.0.1",
  port: Number(process.env["QUERN_PORT"] ?? 0),
  fetch: (request) => app.fetch(request),
});
console.log(`All components: http://127.0.0.1:${server.port}/ (Ctrl-C stops; restart it to see a change)`);
