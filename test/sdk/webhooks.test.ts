import { describe, expect, test } from "bun:test";
import { createHmac } from "node:crypto";
import { verifyWebhook, type VerifyOptions, WebhookVerificationError } from "../../src/sdk/index.ts";

const SECRET = `whsec_${Buffer.from("a secret of a webhook").toString("base64")}`;
const OTHER = `whsec_${Buffer.from("another secret").toString("base64")}`;
const BODY = '[{"id":1,"Name":"Zoë"}]';
const now = () => Math.floor(Date.now() / 1000);

function signed(body: string, { secret = SECRET, id = "msg_1", seconds = now() } = {}): Record<string, string> {
  const key = Buffer.from(secret.replace("whsec_", ""), "base64");
  const signature = createHmac("sha256", key).update(`${id}.${seconds}.${body}`).digest("base64");
  return { "webhook-id": id, "webhook-timestamp": String(seconds), "webhook-signature": `v1,${signature}` };
}

const verified = (given: Partial<VerifyOptions> = {}) =>
  verifyWebhook({ secret: SECRET, headers: signed(BODY), body: BODY, ...given });

describe("a delivery is accepted", () => {
  test.each<[name: string, given: () => Partial<VerifyOptions>]>([
    ["with headers of fetch", () => ({ headers: new Headers(signed(BODY)) })],
    ["with headers of Node.js", () => ({ headers: { ...signed(BODY), "set-cookie": ["a", "b"], other: undefined } })],
    [
      "with headers in another case",
      () => ({
        headers: Object.fromEntries(Object.entries(signed(BODY)).map(([name, value]) => [name.toUpperCase(), value])),
      }),
    ],
    ["with a body of bytes", () => ({ body: new TextEncoder().encode(BODY) })],
    ["with one of several secrets", () => ({ secret: [OTHER, SECRET] })],
    ["with a secret without its prefix", () => ({ secret: SECRET.replace("whsec_", "") })],
    [
      "with several signatures",
      () => ({
        headers: {
          ...signed(BODY),
          "webhook-signature": `v1,${"A".repeat(44)} v2,x ${signed(BODY)["webhook-signature"]}`,
        },
      }),
    ],
    ["at the end of its age", () => ({ headers: signed(BODY, { seconds: now() - 290 }) })],
    ["within an age of one's own", () => ({ headers: signed(BODY, { seconds: now() - 3000 }), toleranceS: 3600 })],
  ])("%s", async (_, given) => {
    expect(await verified(given())).toEqual({ id: "msg_1", isRemoval: false, rows: [{ id: 1, Name: "Zoë" }] });
  });

  test("as a removal", async () => {
    const { isRemoval } = await verified({ headers: { ...signed(BODY), "X-Quern-Event": "remove" } });
    expect(isRemoval).toBe(true);
  });
});

describe("a delivery is refused", () => {
  const without = (name: string) => Object.fromEntries(Object.entries(signed(BODY)).filter(([key]) => key !== name));
  test.each<[name: string, given: () => Partial<VerifyOptions>]>([
    ["with another body", () => ({ body: BODY.replace("1", "2") })],
    ["with a body that was formatted again", () => ({ body: JSON.stringify(JSON.parse(BODY), null, 1) })],
    ["with another secret", () => ({ secret: OTHER })],
    ["with no secret", () => ({ secret: [] })],
    ["with another id", () => ({ headers: { ...signed(BODY), "webhook-id": "msg_2" } })],
    ["with another time", () => ({ headers: { ...signed(BODY), "webhook-timestamp": String(now() - 1) } })],
    ["that is too old", () => ({ headers: signed(BODY, { seconds: now() - 310 }) })],
    ["from the future", () => ({ headers: signed(BODY, { seconds: now() + 310 }) })],
    ["with a time that is not a number", () => ({ headers: signed(BODY, { seconds: Number.NaN }) })],
    ["without a signature", () => ({ headers: without("webhook-signature") })],
    ["without an id", () => ({ headers: without("webhook-id") })],
    ["without a time", () => ({ headers: without("webhook-timestamp") })],
    ["with an empty signature", () => ({ headers: { ...signed(BODY), "webhook-signature": "v1," } })],
    ["with a signature that is not base64", () => ({ headers: { ...signed(BODY), "webhook-signature": "v1,*" } })],
    [
      "with a signature of another version",
      () => ({
        headers: {
          ...signed(BODY),
          "webhook-signature": (signed(BODY)["webhook-signature"] ?? "").replace("v1", "v2"),
        },
      }),
    ],
    [
      "with a part of the signature",
      () => ({
        headers: { ...signed(BODY), "webhook-signature": (signed(BODY)["webhook-signature"] ?? "").slice(0, -4) },
      }),
    ],
  ])("%s", async (_, given) => {
    const error = await verified(given()).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(WebhookVerificationError);
  });

  test.each(["", "whsec_", "not base64!"])("with the wrong kind of secret: %j", async (secret) => {
    const error = await verified({ secret }).catch((thrown: unknown) => thrown);
    expect(error).toEqual(new TypeError("secret is not the signing secret of a webhook"));
  });
});
