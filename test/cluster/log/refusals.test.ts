import { expect, test } from "bun:test";
import { AppError } from "../../../src/errors.ts";
import { beforeChange, divergedError, ownedElsewhere } from "../../../src/cluster/log/refusals.ts";
import { ConnectionLostError, StatementError } from "../../../src/cluster/postgres/failures.ts";
import { LOG_REFUSALS } from "../../../src/cluster/postgres/refusals.ts";

const SENTENCE = "The server cannot reach its log (PostgreSQL); try again";

test.each([
  new ConnectionLostError("terminating connection due to administrator command"),
  new StatementError("canceling statement due to lock timeout", "55P03"),
  new AppError("log.unavailable", LOG_REFUSALS.unreachable("10.0.0.1:5432", "connect ECONNREFUSED")),
])("a failure of PostgreSQL before a change is refused without its message: %s", (failure) => {
  const refusal = beforeChange(failure);
  expect(refusal).toBeInstanceOf(AppError);
  expect(refusal).toMatchObject({ message: SENTENCE, reason: "log.unavailable", cause: failure });
});

test.each([divergedError(), ownedElsewhere(), new TypeError("a bug")])("other errors stay as they are: %s", (error) => {
  expect(beforeChange(error)).toBe(error);
});
