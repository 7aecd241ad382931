import { expect, test } from "bun:test";
import { haproxyConfiguration } from "../../scripts/cluster/haproxy.ts";

const DOCUMENTED = `defaults
  mode http
  log global

frontend quern
  bind :443 ssl crt /etc/haproxy/quern.pem
  default_backend nodes

backend nodes
  balance hash path,field(4,/)
  hash-type consistent
  server node-1 10.0.0.1:8484 check inter 1s
  server node-2 10.0.0.2:8484 check inter 1s
`;
const servers = [
  { name: "a", address: "http://127.0.0.1:1001" },
  { name: "b", address: "http://127.0.0.1:1002" },
];

test("the documented configuration of HAProxy is used with other servers and another port", () => {
  const text = haproxyConfiguration(DOCUMENTED, { servers, balance: "document", port: 1000 });
  expect(text).toBe(`defaults
  mode http

frontend quern
  bind 127.0.0.1:1000
  default_backend nodes

backend nodes
  balance hash path,field(4,/)
  hash-type consistent
  server a 127.0.0.1:1001 check inter 1s
  server b 127.0.0.1:1002 check inter 1s
`);
});

test("a round robin replaces only how HAProxy chooses a node", () => {
  const text = haproxyConfiguration(DOCUMENTED, { servers, balance: "roundrobin", port: 1000 });
  expect(text).toContain("  balance roundrobin\n  server a");
});
