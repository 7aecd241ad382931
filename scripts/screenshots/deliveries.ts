/** Deliveries without a receiver: screenshots send no requests to other servers. */
export const DELIVERIES = [
  { id: 9, time: "2026-03-02T09:14:08.000Z", size: 1, attempt: 2, status: "success", httpStatus: 200, durationMs: 41 },
  { id: 8, time: "2026-03-02T09:14:06.000Z", size: 1, attempt: 1, status: "failure", httpStatus: 503, durationMs: 212 },
  {
    id: 7,
    time: "2026-03-01T16:40:51.000Z",
    size: 12,
    attempt: 1,
    status: "failure",
    httpStatus: null,
    durationMs: 5000,
  },
].map((each) => ({ ...each, messageId: `msg_5f1c_${each.id}`, errorMessage: null }));
export const CONTENT = {
  event: "rows",
  body: JSON.stringify([{ id: 4, Item: "Picture wire", Quantity: 12, Price: 2.4, Fragile: false }]),
  answer: "upstream is being restarted",
};
