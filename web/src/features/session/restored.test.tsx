import { act, cleanup, render, screen } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";
import { Notices } from "@/app/notices";
import { useRestored } from "./SessionPage";

afterEach(cleanup);

test("one line says that the server was restored, and nothing else does", () => {
  let hear: (envelope: { data: { code: string } }) => void = () => {};
  const session = {
    on: (_: string, fn: typeof hear) => {
      hear = fn;
      return () => {};
    },
  };
  function Page() {
    useRestored(session as never);
    return <Notices />;
  }
  render(<Page />);
  act(() => hear({ data: { code: "INVALID_MESSAGE" } }));
  expect(screen.queryByText(/restored from a backup/)).toBeNull();
  act(() => {
    hear({ data: { code: "CURSOR_LOST" } });
    hear({ data: { code: "CURSOR_LOST" } });
  });
  expect(screen.getAllByText(/restored from a backup/)).toHaveLength(1);
});
